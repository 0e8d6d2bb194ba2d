package main

import (
	"slices"
	"strings"

	"github.com/sliced-wasserstein/lab/bench/timing"
)

// summary is the content of bench.json.
type summary struct {
	Machine machine       `json:"machine"`
	Cases   []caseSummary `json:"cases"`
	Fits    []fit         `json:"fits"`
	Limits  []limit       `json:"limits"`
	plots   []curve
}

// caseSummary holds the programs of one case.
type caseSummary struct {
	Group    string           `json:"group"`
	Name     string           `json:"name"`
	Earlier  bool             `json:"earlier,omitempty"` // taken from an earlier report
	Programs []programSummary `json:"programs"`
	Fastest  *fastest         `json:"fastest_peer,omitempty"` // nil: this project alone
}

// fastest is the program of others with the fastest call of a case.
type fastest struct {
	Name string `json:"name"`
	// Ratio of the fastest call of this project to its fastest call.
	Ratio float64 `json:"ratio"`
}

// programSummary summarises all rounds of one program, times in seconds. Low and High are the
// smallest and the largest of the rounds' medians.
type programSummary struct {
	Name    string  `json:"name"`
	Version string  `json:"version"`
	Rounds  int     `json:"rounds"`
	Timed   int     `json:"timed"` // calls, all rounds together
	Min     float64 `json:"min"`
	Median  float64 `json:"median"` // of the rounds' medians
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
	// Ratio to the first program's median of the same round; nil for the first.
	Ratio     *spread `json:"ratio,omitempty"`
	OfMinima  float64 `json:"of_minima,omitempty"` // ratio of the fastest calls of all rounds
	HugePages bool    `json:"huge_pages,omitempty"`
	FirstStep *spread `json:"first_step,omitempty"`
	Compile   *spread `json:"compile,omitempty"`
	Peak      float64 `json:"peak_mb"`
	Above     float64 `json:"above_mb,omitempty"` // the largest of the rounds
	Value     float64 `json:"value,omitempty"`
	Error     float64 `json:"relative_error,omitempty"`
	Failure   string  `json:"failure,omitempty"` // of the last run, if no round has a result
}

// spread is a median with the smallest and the largest value.
type spread struct {
	Median float64 `json:"median"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
}

func spreadOf(v []float64) *spread {
	if len(v) == 0 {
		return nil
	}
	return &spread{timing.Median(v), slices.Min(v), slices.Max(v)}
}

// summarise sorts the runs in the order of the plan. Cases that are not measured, or not with all programs, are
// taken from the earlier report of such a machine; if it has none, they are left out or as they are.
func summarise(plan []testCase, runs []run, m machine, earlier []caseSummary) summary {
	stored := map[[2]string]caseSummary{}
	for _, c := range earlier {
		c.Earlier = true
		stored[[2]string{c.Group, c.Name}] = c
	}
	of := map[key][]run{} // by case and program, all rounds
	for _, r := range runs {
		k := r.key
		k.Round = 0
		of[k] = append(of[k], r)
	}
	var cases []caseSummary
	for _, c := range plan {
		out := caseSummary{Group: c.Group, Name: c.Name}
		var first map[int]float64
		fastest := 0.0 // fastest call of the first program
		for i, p := range c.Programs {
			mine := of[key{c.Group, c.Name, p.Name, 0}]
			if len(mine) == 0 {
				continue
			}
			summed, medians := summariseProgram(p.Name, mine)
			if i == 0 {
				first, fastest = medians, summed.Min
			} else {
				summed.Ratio = ratio(medians, first)
				if fastest > 0 {
					summed.OfMinima = summed.Min / fastest
				}
			}
			out.Programs = append(out.Programs, summed)
		}
		if e, ok := stored[[2]string{c.Group, c.Name}]; ok && len(out.Programs) < len(c.Programs) {
			out = e
		}
		if len(out.Programs) > 0 {
			cases = append(cases, out)
		}
	}
	return conclude(plan, m, cases)
}

// conclude adds what follows from the times of the cases: the fastest peers, curves with their fits,
// and the limits.
func conclude(plan []testCase, m machine, cases []caseSummary) summary {
	s := summary{Machine: m, Cases: cases}
	curves, on := newCurves(), map[[2]string][]point{}
	for _, c := range plan {
		on[[2]string{c.Group, c.Name}] = c.On
	}
	for i, c := range s.Cases {
		s.Cases[i].Fastest = c.fastest()
		for _, p := range c.Programs {
			for _, at := range on[[2]string{c.Group, c.Name}] {
				if p.Rounds > 0 {
					curves.add(at, p.Name, p)
				}
			}
		}
	}
	s.plots = curves.all
	s.Fits = fitAll(curves.all)
	s.Limits = limits(s)
	return s
}

// fastest returns the fastest of the others, whose names do not begin with this project's.
func (c caseSummary) fastest() *fastest {
	if len(c.Programs) == 0 || c.Programs[0].Rounds == 0 {
		return nil
	}
	var best *fastest
	for _, p := range c.Programs {
		if r := c.Programs[0].Min / p.Min; p.Rounds > 0 && !strings.HasPrefix(p.Name, swlab) && (best == nil || r > best.Ratio) {
			best = &fastest{p.Name, r}
		}
	}
	return best
}

// summariseProgram also returns the median of every round. A round that was tried again counts by
// its last result.
func summariseProgram(name string, runs []run) (programSummary, map[int]float64) {
	byRound := map[int]timing.Result{}
	out := programSummary{Name: name}
	for _, r := range runs {
		if r.Failure == "" {
			byRound[r.Round] = r.Result
		}
		out.Failure = r.Failure
	}
	medians := map[int]float64{}
	var all, middle, firsts, compiles []float64
	for round, r := range byRound {
		all = append(all, r.Seconds...)
		medians[round] = timing.Median(r.Seconds)
		middle = append(middle, medians[round])
		if r.FirstStep > 0 {
			firsts = append(firsts, r.FirstStep)
		}
		if r.Compile > 0 {
			compiles = append(compiles, r.Compile)
		}
		out.Version, out.Value, out.Error, out.HugePages = r.Version, r.Value, r.Error, r.HugePages
		out.Peak, out.Above = max(out.Peak, r.Peak), max(out.Above, r.Above)
	}
	if len(byRound) == 0 {
		return out, nil
	}
	out.Failure = ""
	out.Rounds, out.Timed = len(byRound), len(all)
	m := spreadOf(middle)
	out.Min, out.Median, out.Low, out.High = slices.Min(all), m.Median, m.Low, m.High
	out.FirstStep, out.Compile = spreadOf(firsts), spreadOf(compiles)
	return out, medians
}

// ratio compares the rounds that both have.
func ratio(of, to map[int]float64) *spread {
	var v []float64
	for round, s := range of {
		if t := to[round]; t > 0 {
			v = append(v, s/t)
		}
	}
	return spreadOf(v)
}

// find returns a program of a case, nil if it has no result.
func (s summary) find(group, name, program string) *programSummary {
	for _, c := range s.Cases {
		if c.Group != group || c.Name != name {
			continue
		}
		for i, p := range c.Programs {
			if p.Name == program && p.Rounds > 0 {
				return &c.Programs[i]
			}
		}
	}
	return nil
}

// faster returns the program of a case with the fastest call among those named, nil unless all have
// a result.
func (s summary) faster(group, name string, programs ...string) *programSummary {
	var best *programSummary
	for _, n := range programs {
		p := s.find(group, name, n)
		if p == nil {
			return nil
		}
		if best == nil || p.Min < best.Min {
			best = p
		}
	}
	return best
}
