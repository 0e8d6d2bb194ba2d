package sweep

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sliced-wasserstein/lab/experiments"
	"github.com/sliced-wasserstein/lab/experiments/table"
	"github.com/sliced-wasserstein/lab/swlab/train"
)

// Sheet has a row for every point, and below its numbers their differences from the reference.
func (r *Result) Sheet() table.Sheet {
	var names, seeds []string
	for _, v := range r.Vary {
		names = append(names, v.Name)
	}
	for _, s := range r.Seeds {
		seeds = append(seeds, fmt.Sprint(s))
	}
	about := r.fixed() + "; seeds " + strings.Join(seeds, ", ")
	if r.Backend != "" {
		about += "; backend " + r.Backend
	}
	s := table.Sheet{Name: "sweep", Title: fmt.Sprintf("%s trained on %s, scored on %s", strings.Join(names, " x "), r.Data, r.Test), About: []string{about},
		RowHeader: names[0], Below: "- first"}
	for _, name := range names[1:] {
		s.Columns = append(s.Columns, table.Column{Name: name, Scale: 1})
	}
	for _, m := range metrics {
		s.Columns = append(s.Columns, table.Column{Name: m.name, Unit: experiments.Conventions()[m.key], Scale: 1, Better: table.Down})
	}
	timed := slices.ContainsFunc(r.Rows, func(row Row) bool { return row.Values["time"].N > 0 })
	if timed {
		s.Columns = append(s.Columns, table.Column{Name: "s/epoch", Scale: 1, Better: table.Down})
	}
	compared, pending := false, false
	for i, row := range r.Rows {
		l := table.Line{Name: row.text(names[0])}
		for _, name := range names[1:] {
			l.Cells, l.Below = append(l.Cells, table.Entry{Mean: row.text(name)}), append(l.Below, table.Entry{})
		}
		state := len(l.Cells)
		for _, m := range metrics {
			decimals := r.decimals(m.key)
			l.Cells, l.Below = append(l.Cells, entry(row.Values[m.key], decimals, "")), append(l.Below, row.Difference[m.key].entry(decimals))
		}
		if timed {
			l.Cells, l.Below = append(l.Cells, entry(row.Values["time"], r.decimals("time"), "")), append(l.Below, table.Entry{})
		}
		if row.Difference == nil {
			l.Below = nil
		}
		compared = compared || row.Difference != nil
		switch row.State {
		case Refused, Failed:
			s.Legend = append(s.Legend, fmt.Sprintf("%s, %s: %s", row.State, r.Label(i), row.Reason))
			if row.Values["cd"].N == 0 {
				l.Cells[state].Mean = string(row.State)
			}
		case Pending:
			pending = true
			l.Cells[state].Mean = "..."
		}
		s.Lines = append(s.Lines, l)
	}
	s.Legend = append(s.Legend, r.explained(compared)...)
	if pending {
		s.Legend = append(s.Legend, "...: not finished")
	}
	return s
}

// decimals returns the number of decimals of a metric's column: four digits of the largest mean, and
// two of the smallest half interval.
func (r *Result) decimals(key string) int {
	largest, smallest := 0.0, math.Inf(1)
	for _, row := range r.Rows {
		largest = max(largest, math.Abs(row.Values[key].Mean))
		if half := row.Difference[key].half(); half > 0 {
			smallest = min(smallest, half)
		}
	}
	n := 0
	if largest > 0 {
		n = 3 - int(math.Floor(math.Log10(largest)))
	}
	if smallest < math.Inf(1) {
		n = max(n, 1-int(math.Floor(math.Log10(smallest))))
	}
	return min(max(n, 0), 6)
}

// entry formats a mean over seeds, sign is "+" or ""; a mean over no seeds is empty.
func entry(c table.Cell, decimals int, sign string) table.Entry {
	if c.N == 0 {
		return table.Entry{Mean: "-"}
	}
	e := table.Entry{Mean: fmt.Sprintf("%"+sign+".*f", decimals, c.Mean)}
	if c.SD != nil {
		e.Spread = fmt.Sprintf("%.*f", decimals, *c.SD)
	}
	return e
}

// entry formats a difference with half its interval, and the deviation over seeds in brackets.
func (d Difference) entry(decimals int) table.Entry {
	e := entry(d.Cell, decimals, "+")
	if e.Aside = e.Spread; d.N > 0 {
		e.Spread = fmt.Sprintf("%.*f", decimals, d.half())
	}
	return e
}

// explained returns what a reader has to know about the numbers.
func (r *Result) explained(compared bool) []string {
	var out []string
	several := len(r.Seeds) > 1
	if several {
		out = append(out, fmt.Sprintf("Values: mean ± sample standard deviation (dividing by n - 1) over %d training seeds.", len(r.Seeds)))
	} else {
		out = append(out, "Values: of one training seed, so there is no spread.")
	}
	if compared {
		text := fmt.Sprintf("Differences to %s: on the same test clouds, along the same directions, with the same training seed; ± half the 95 %% interval over clouds, for these trainings and no others", r.Label(r.Reference))
		if several {
			text += ", averaged over seeds; in brackets the sample standard deviation over seeds"
		}
		out = append(out, text+".")
	}
	if r.varies("points") {
		out = append(out, "Other points are other clouds: SW and EMD, which are summed over points, cannot be compared between them.")
	}
	if strings.Contains(r.Backend, ",") {
		out = append(out, "Runs of several backends, whose random numbers differ.")
	}
	return out
}

// fixed lists the settings that are not varied and differ from the defaults.
func (r *Result) fixed() string {
	var parts []string
	usual := train.DefaultConfig()
	for _, f := range fields(&usual) {
		v, there := r.Fixed[f.Name]
		always := slices.Contains([]string{"loss", "points", "batch", "epochs"}, f.Name)
		if there && (always || v != f.Value()) {
			parts = append(parts, fmt.Sprintf("%s %v", f.Name, v))
		}
	}
	return strings.Join(parts, ", ")
}

// Records returns the lines of CSV, one for every row and metric.
func (r *Result) Records() [][]string {
	var head []string
	for _, v := range r.Vary {
		head = append(head, v.Name)
	}
	out := [][]string{append(head, "metric", "mean", "sd", "n", "values", "difference", "low", "high", "p", "clouds", "difference_sd", "difference_values", "state", "reason")}
	full := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	keys := []string{"time"}
	for i, m := range metrics {
		keys = slices.Insert(keys, i, m.key)
	}
	for _, row := range r.Rows {
		var settings []string
		for _, v := range r.Vary {
			settings = append(settings, row.text(v.Name))
		}
		for _, key := range keys {
			value, difference := make([]string, 4), make([]string, 7)
			if n, ok := row.Values[key]; ok {
				value = n.Fields()
			}
			if d, ok := row.Difference[key]; ok {
				f := d.Fields()
				difference = []string{f[0], full(d.Low), full(d.High), full(d.P), strconv.Itoa(d.Clouds), f[1], f[3]}
			}
			out = append(out, slices.Concat(settings, []string{key}, value, difference, []string{string(row.State), row.Reason}))
		}
	}
	return out
}

// JSON returns the result itself.
func (r *Result) JSON() any { return r }
