package reproduce

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments/runs"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
)

// Estimate is the work left in schedules. A run that several of them need counts once.
type Estimate struct {
	Runs      int `json:"runs"`      // of all kinds
	Trainings int `json:"trainings"` // of autoencoders
	Epochs    int `json:"epochs"`    // of all trainings
	Scored    int `json:"scored"`    // clouds to reconstruct and score
	Exact     int `json:"exact_emd"` // of these, clouds that also get the exact EMD
	Pairs     int `json:"pairs"`     // of clouds in matrices of distances, for the generation tables
	Study     int `json:"gap_rows"`  // rows of the gap study
	// Disk is the size in bytes of weights, generated clouds and matrices, and of the checkpoints of
	// one training.
	Disk int64 `json:"disk_bytes"`
}

// NewEstimate counts the missing runs of the schedules, whatever they are, and what they need.
func NewEstimate(l *runs.Store, schedules ...*Schedule) (Estimate, error) {
	e := estimator{store: l, seen: map[string]bool{}}
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
	largest int64           // size of a checkpoint
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
	e.Trainings++
	e.Epochs += t.Config.Epochs
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
	if s.Exact {
		e.Exact += n
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
	e.Disk += int64(8*len(g.Distances)*pairs + 12*made*g.Test.Points)
	return nil
}

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
	return set.Clouds, nil
}

// String formats the estimate as one line.
func (e Estimate) String() string {
	parts := []string{fmt.Sprintf("%d runs", e.Runs)}
	add := func(n int, format string, args ...any) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	add(e.Trainings, "%d trainings of %d epochs in all", e.Trainings, e.Epochs)
	add(e.Scored, "%d clouds to score, %d with the exact EMD", e.Scored, e.Exact)
	add(e.Pairs, "%d pairs of clouds in matrices of distances", e.Pairs)
	add(e.Study, "%d rows of the gap study", e.Study)
	return strings.Join(append(parts, fmt.Sprintf("%.1f GB on disk", float64(e.Disk)/1e9)), "; ")
}
