package main

import (
	"slices"

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
	Programs []programSummary `json:"programs"`
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

// summarise sorts the runs in the order of the plan. Cases without a run are left out.
func summarise(cases []testCase, runs []run) summary {
	of := map[key][]run{} // by case and program, all rounds
	for _, r := range runs {
		k := r.key
		k.Round = 0
		of[k] = append(of[k], r)
	}
	s := summary{Machine: thisMachine()}
	curves := newCurves()
	for _, c := range cases {
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
			for _, at := range c.On {
				if summed.Rounds > 0 {
					curves.add(at, p.Name, summed)
				}
			}
		}
		if len(out.Programs) > 0 {
			s.Cases = append(s.Cases, out)
		}
	}
	s.plots = curves.all
	s.Fits = fitAll(curves.all)
	s.Limits = limits(s)
	return s
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
		out.Version, out.Value, out.Error = r.Version, r.Value, r.Error
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

// faster returns the program of a case with the fastest call among those named.
func (s summary) faster(group, name string, programs ...string) *programSummary {
	var best *programSummary
	for _, n := range programs {
		if p := s.find(group, name, n); p != nil && (best == nil || p.Min < best.Min) {
			best = p
		}
	}
	return best
}
