package sweep

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sliced-wasserstein/lab/swlab/train"
)

// sheet is a result as readers see it, before it is text of some format: the values, and below them the differences.
type sheet struct {
	about  []string
	grids  []panel
	legend []string
}

// panel is a table; the first columns are the settings.
type panel struct {
	head []string
	rows [][]string
}

const (
	nothing   = "-"
	plusMinus = " ± "
)

func (r *Result) sheet() sheet {
	var names, seeds []string
	for _, v := range r.Vary {
		names = append(names, v.Name)
	}
	for _, s := range r.Seeds {
		seeds = append(seeds, fmt.Sprint(s))
	}
	s := sheet{about: []string{
		fmt.Sprintf("%s trained on %s, scored on %s", strings.Join(names, " x "), r.Data, r.Test),
		fmt.Sprintf("%s; seeds %s%s", r.fixed(), strings.Join(seeds, ", "), after("; backend ", r.Backend)),
	}}
	values := panel{head: append([]string{}, names...)}
	differences := panel{head: append([]string{}, names...)}
	for _, m := range metrics {
		values.head, differences.head = append(values.head, m.name), append(differences.head, m.name+" - first")
	}
	timed := slices.ContainsFunc(r.Rows, func(row Row) bool { return row.Values["time"].N > 0 })
	if timed {
		values.head = append(values.head, "s/epoch")
	}
	compared, pending := false, false
	for i, row := range r.Rows {
		v, d := append([]string{}, row.shown...), append([]string{}, row.shown...)
		for _, m := range metrics {
			n, there := row.Values[m.key]
			v = append(v, n.text(there, "%.4g"))
			c, there := row.Difference[m.key]
			d = append(d, c.text(there))
			compared = compared || there
		}
		if timed {
			t, there := row.Values["time"]
			v = append(v, t.text(there, "%.3g"))
		}
		switch row.State {
		case Refused, Failed:
			s.legend = append(s.legend, fmt.Sprintf("%s, %s: %s", row.State, r.Label(i), row.Reason))
			if row.Values["cd"].N == 0 {
				v[len(names)] = string(row.State)
			}
		case Pending:
			pending = true
			v[len(names)] = "..."
		}
		values.rows = append(values.rows, v)
		if row.Difference != nil {
			differences.rows = append(differences.rows, d)
		}
	}
	s.grids = append(s.grids, values)
	if compared {
		s.grids = append(s.grids, differences)
	}
	s.legend = append(s.legend, r.explained(compared)...)
	if pending {
		s.legend = append(s.legend, "...: not finished")
	}
	return s
}

// explained is what a reader has to know about the numbers.
func (r *Result) explained(compared bool) []string {
	var out []string
	several := len(r.Seeds) > 1
	if several {
		out = append(out, fmt.Sprintf("Values: mean ± sample standard deviation (dividing by n - 1) over %d training seeds. Less is better.", len(r.Seeds)))
	} else {
		out = append(out, "Values: of one training seed, so there is no spread. Less is better.")
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
	for _, m := range metrics {
		out = append(out, m.name+": "+conventions()[m.key])
	}
	return out
}

// fixed are the settings that are not varied, as far as they are not the usual ones.
func (r *Result) fixed() string {
	var parts []string
	usual := train.DefaultConfig()
	for _, name := range Names() {
		v, there := r.Fixed[name]
		if !there {
			continue
		}
		switch name {
		case "loss", "points", "batch", "epochs":
		default:
			if field(usual, name).Value() == v {
				continue
			}
		}
		parts = append(parts, fmt.Sprintf("%s %v", name, v))
	}
	return strings.Join(parts, ", ")
}

func (n Number) text(there bool, format string) string {
	if !there {
		return nothing
	}
	text := fmt.Sprintf(format, n.Mean)
	if n.SD != nil {
		text += plusMinus + fmt.Sprintf("%.2g", *n.SD)
	}
	return text
}

func (d Difference) text(there bool) string {
	if !there {
		return nothing
	}
	text := fmt.Sprintf("%+.3g%s%.2g", d.Mean, plusMinus, (d.High-d.Low)/2)
	if d.SD != nil {
		text += fmt.Sprintf(" (%.2g)", *d.SD)
	}
	return text
}

// after is text with what stands before it, if there is text.
func after(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}
