package reproduce

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments/runs"
	"github.com/sliced-wasserstein/lab/experiments/table"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/train"
)

// Estimate is the work left in schedules. A run that several of them need counts once.
type Estimate struct {
	Runs      int `json:"runs"`      // of all kinds
	Trainings int `json:"trainings"` // of autoencoders
	Epochs    int `json:"epochs"`    // of all trainings
	// Unlike is the number of trainings with a loss and an amortizer for which the paper prints no
	// time. They count with the mean of the times that it prints.
	Unlike int `json:"unlike"`
	Scored int `json:"scored"`    // clouds to reconstruct and score
	Exact  int `json:"exact_emd"` // of these, clouds that also get the exact EMD
	Pairs  int `json:"pairs"`     // of clouds in matrices of distances, for the generation tables
	Study  int `json:"gap_rows"`  // rows of the gap study, which have no time here
	// V100 is the time of the trainings by the paper's seconds per epoch on its own machine, in
	// proportion to clouds and points.
	V100 time.Duration `json:"-"`
	// Cores is the time of scores, exact EMDs and matrices at the rates of docs/reproduction.md: on
	// 2 CPU cores. Scores and matrices take less on a GPU; the exact EMD always runs on the CPU, and
	// takes less with more cores.
	Cores time.Duration `json:"-"`
	// Disk is the size in bytes of weights, generated clouds and matrices, and of the checkpoints of
	// one training.
	Disk int64 `json:"disk_bytes"`
}

// Measured on 2 cores at fullPoints points (docs/reproduction.md). The work of all three grows with
// the square of the points.
const (
	fullPoints      = 2048
	secondsPerScore = 14.0 / 256
	secondsPerExact = (85 - 14.0) / 256
	secondsPerPair  = 0.037
)

// NewEstimate counts the missing runs of the schedules, whatever they are, and what they need.
func NewEstimate(l *runs.Store, schedules ...*Schedule) (Estimate, error) {
	e := estimator{store: l, seen: map[string]bool{}, printed: printedTimes()}
	for _, p := range schedules {
		for _, j := range p.Missing(l) {
			for _, r := range j.Runs {
				if err := e.add(r.Run); err != nil {
					return Estimate{}, err
				}
			}
		}
	}
	e.Disk += 2 * e.largest // two checkpoints
	return e.Estimate, nil
}

// estimator adds up runs.
type estimator struct {
	Estimate
	store   *runs.Store
	seen    map[string]bool // by hash
	printed []printedTime
	largest int64 // size of a checkpoint
}

// add counts a run and what it needs, unless it is done or has been counted.
func (e *estimator) add(r runs.Task) error {
	hash := runs.Hash(r)
	if e.seen[hash] || e.store.Done(r) {
		return nil
	}
	e.seen[hash] = true
	for _, n := range r.Needs() {
		if err := e.add(n); err != nil {
			return err
		}
	}
	e.Runs++
	switch r := r.(type) {
	case runs.Training:
		return e.training(r)
	case runs.Scores:
		return e.scores(r)
	case runs.Generation:
		return e.generation(r)
	case runs.Gap:
		e.Study++
	}
	return nil
}

func (e *estimator) training(t runs.Training) error {
	clouds, err := e.clouds(t.Data)
	if err != nil {
		return err
	}
	seconds, like := secondsOf(e.printed, t.Config)
	if !like {
		e.Unlike++
	}
	e.Trainings++
	e.Epochs += t.Config.Epochs
	full, err := datasets.FindSource(paper().Data)
	if err != nil {
		return err
	}
	share := float64(clouds) / float64(full.Clouds) * float64(t.Data.Points) / fullPoints
	e.V100 += duration(seconds * float64(t.Config.Epochs) * share)
	size := int64(4 * (&pointnet.Autoencoder{Points: t.Data.Points}).Parameters())
	e.Disk += 2 * size                 // best and last weights
	e.largest = max(e.largest, 2*size) // weights with their momentum
	return nil
}

func (e *estimator) scores(s runs.Scores) error {
	n := 6
	if !s.Six {
		var err error
		if n, err = e.clouds(s.Data); err != nil {
			return err
		}
	}
	e.Scored += n
	e.cores(n, secondsPerScore, s.Data.Points)
	if s.Exact {
		e.Exact += n
		e.cores(n, secondsPerExact, s.Data.Points)
	}
	return nil
}

// generation counts the matrices of generated clouds against themselves and against real ones, and
// once that of the real clouds. The approximate EMD is not symmetric, so all entries are computed.
func (e *estimator) generation(g runs.Generation) error {
	real, err := e.clouds(g.Test)
	if err != nil {
		return err
	}
	made := g.Count
	if made == 0 {
		made = real
	}
	pairs := real*made + made*made
	if key := "real " + fmt.Sprint(g.Test); !e.seen[key] {
		e.seen[key] = true
		pairs += real * real
	}
	e.Pairs += pairs
	e.cores(pairs, secondsPerPair, g.Test.Points)
	e.Disk += int64(8*len(g.Distances)*pairs + 12*made*g.Test.Points)
	return nil
}

// cores adds n pieces of work at that rate for clouds of fullPoints points.
func (e *estimator) cores(n int, seconds float64, points int) {
	share := float64(points) / fullPoints
	e.Cores += duration(float64(n) * seconds * share * share)
}

func duration(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }

// clouds returns the number of clouds of d; from the catalogue if they have not been fetched.
func (e *estimator) clouds(d runs.Data) (int, error) {
	set, err := e.store.Clouds(d)
	var missing *datasets.NotFetchedError
	if errors.As(err, &missing) {
		if n, ok := missing.Source.Parts[d.Split]; ok {
			return n, nil
		}
		return missing.Source.Clouds, nil
	}
	if err != nil {
		return 0, err
	}
	return set.Header().Clouds, nil
}

// printedTime is the time of a training in the paper.
type printedTime struct {
	config  train.Config
	seconds float64 // per epoch
}

// printedTimes returns the times of all tables that have them.
func printedTimes() []printedTime {
	var out []printedTime
	for _, name := range table.Names() {
		t, err := table.Get(name)
		if err != nil || t.Study != "reconstruction" {
			continue
		}
		for _, r := range t.Rows {
			c, err := paper().config(setRow{Row: r}, 1, 1, 1)
			if v, ok := r.Paper["time"]; ok && err == nil {
				out = append(out, printedTime{c.Completed(), v.Mean})
			}
		}
	}
	return out
}

// secondsOf returns the paper's seconds per epoch for a training with the loss and the amortizer of
// c, that with the nearest number of ascent steps and of slices; false and the mean of all if there
// is none.
func secondsOf(printed []printedTime, c train.Config) (seconds float64, like bool) {
	nearest := [2]float64{math.Inf(1), math.Inf(1)}
	for _, p := range printed {
		if p.config.Loss != c.Loss || p.config.Amortizer != c.Amortizer {
			continue
		}
		far := [2]float64{math.Abs(float64(p.config.AscentSteps - c.AscentSteps)), math.Abs(float64(p.config.Slices - c.Slices))}
		if far[0] < nearest[0] || far[0] == nearest[0] && far[1] < nearest[1] {
			nearest, seconds, like = far, p.seconds, true
		}
	}
	if like {
		return seconds, true
	}
	for _, p := range printed {
		seconds += p.seconds / float64(len(printed))
	}
	return seconds, false
}

// String formats the estimate as one line.
func (e Estimate) String() string {
	parts := []string{fmt.Sprintf("%d runs", e.Runs)}
	add := func(n int, format string, args ...any) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	add(e.Trainings, "%d trainings of %d epochs in all: %.1f hours at the seconds per epoch that the paper prints (one V100)", e.Trainings, e.Epochs, e.V100.Hours())
	add(e.Unlike, "of these %d unlike any that it times, counted at its mean", e.Unlike)
	add(e.Scored, "%d clouds to score, %d with the exact EMD", e.Scored, e.Exact)
	add(e.Pairs, "%d pairs of clouds in matrices of distances", e.Pairs)
	add(e.Scored+e.Pairs, "these %.1f hours on 2 CPU cores", e.Cores.Hours())
	add(e.Study, "%d rows of the gap study", e.Study)
	return strings.Join(append(parts, fmt.Sprintf("%.1f GB on disk", float64(e.Disk)/1e9)), "; ")
}
