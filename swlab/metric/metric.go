// Package metric compares a set of generated clouds with a set of reference clouds, as the
// generation tables do: by the Jensen-Shannon divergence of the points ([JSD]), and by minimum
// matching distance, coverage and 1-nearest-neighbour accuracy under a distance between clouds
// ([Scores]). [Compare] computes all of them.
package metric

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/internal/memory"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

// distance is a distance between clouds.
type distance struct {
	name string
	loss loss.Loss // loss.Graph or loss.Host
	// symmetric: D(x, y) = D(y, x), so half of a set's distances to itself suffices. The
	// approximate EMD is not symmetric, by 0.3 to 6 %, and needs both halves.
	symmetric bool
	scores    func(*Report) **Scores
}

var distances = []distance{
	{"cd", loss.Chamfer{}, true, func(r *Report) **Scores { return &r.CD }},
	{"emd-approx", loss.ApproximateEMD{Reduce: loss.Mean}, false, func(r *Report) **Scores { return &r.EMDApprox }},
	{"emd-exact", loss.ExactEMD{Reduce: loss.Mean}, true, func(r *Report) **Scores { return &r.EMDExact }},
}

// Distances lists the names of the distances: cd, the Chamfer distance, squared, mean over points,
// both directions added; emd-approx and emd-exact, the approximate EMD (ApproxMatch, Fan et al.
// 2017) and the exact EMD, unsquared, PER POINT (sum / m).
func Distances() []string {
	var names []string
	for _, d := range distances {
		names = append(names, d.name)
	}
	return names
}

// PaperDistances are those of the paper's tables, the default of Config.
func PaperDistances() []string { return []string{"cd", "emd-approx"} }

// Report is the result of Compare. Scores of distances not asked for are nil.
type Report struct {
	JSD float64 `json:"jsd"` // of the clouds as they are
	// JSDScaled is that of the clouds times 1/2: clouds of radius 1 then fill the grid.
	JSDScaled  float64 `json:"jsd_scaled"`
	NReference int     `json:"n_reference"`
	NGenerated int     `json:"n_generated"`
	CD         *Scores `json:"cd,omitempty"`
	EMDApprox  *Scores `json:"emd-approx,omitempty"`
	EMDExact   *Scores `json:"emd-exact,omitempty"`
	// EMDMatchedMass is the smallest fraction of a pair's mass that emd-approx matched, at most
	// about 1.
	EMDMatchedMass float64 `json:"emd_approx_assigned,omitempty"`
	// Conventions says what each distance is, by name (loss.Loss).
	Conventions map[string]string `json:"conventions"`
	// Warnings say, one sentence each, why a number may not be what the caller expects; nil without
	// any.
	Warnings []string `json:"-"`
}

// Scores returns those of the named distance, or nil.
func (r *Report) Scores(name string) *Scores {
	d, err := named(name)
	if err != nil {
		return nil
	}
	return *d.scores(r)
}

// Config configures Compare.
type Config struct {
	Distances []string // of Compare; nil: PaperDistances
	// Normalize computes emd-approx as swlab.DistanceConfig.Normalize does: for pairs that are
	// centred and scaled together, with values scaled back.
	Normalize bool
	// Store is a folder that keeps finished blocks of distances, so that an interrupted call
	// continues where it stopped; "": in memory only. It is created if missing, and any calls and
	// processes may share it. A block is reused only for the same clouds, distance, convention and
	// backend; a damaged one is computed again.
	Store string
	// Progress, if not nil, is called with the number of finished pairs of a distance.
	Progress func(what string, done, total int)
}

// Check returns the error that Compare would return for an invalid call, before any work.
func Check(reference, generated *datasets.Set, o Config) error {
	for _, h := range []*datasets.Set{reference, generated} {
		if h.Clouds < 1 || h.Points < 1 {
			return fmt.Errorf("%s: expected at least one cloud and one point, found %d clouds of %d points",
				h.Name, h.Clouds, h.Points)
		}
		if h.Dim != 3 {
			return fmt.Errorf("%s: expected clouds of dimension 3, found %d", h.Name, h.Dim)
		}
	}
	if len(o.distances()) == 0 {
		return fmt.Errorf("distances: expected some of %s, found none", strings.Join(Distances(), ", "))
	}
	for i, name := range o.distances() {
		d, err := named(name)
		if err != nil {
			return err
		}
		if slices.Contains(o.distances()[:i], name) {
			return fmt.Errorf("distances: %q is there twice", name)
		}
		if err := d.loss.Check(generated.Points, reference.Points, 3); err != nil {
			return fmt.Errorf("%s against %s, %s: %w", generated.Name, reference.Name, name, err)
		}
	}
	if o.Normalize && !slices.Contains(o.distances(), "emd-approx") {
		return fmt.Errorf("normalize: it is for emd-approx, found %s", strings.Join(o.distances(), ", "))
	}
	g, r := generated.Clouds, reference.Clouds
	if err := memory.Check(fmt.Sprintf("clouds: the distances between %d generated and %d reference clouds", g, r),
		memory.Sum(memory.Bytes(8, g, g), memory.Bytes(8, g, r), memory.Bytes(8, r, r))); err != nil {
		return err
	}
	if info, err := os.Stat(o.Store); o.Store != "" && err == nil && !info.IsDir() {
		return fmt.Errorf("store: expected a folder, found the file %s", o.Store)
	}
	return nil
}

func (o Config) distances() []string {
	if o.Distances == nil {
		return PaperDistances()
	}
	return o.Distances
}

// named returns the named distance.
func named(name string) (distance, error) {
	for _, d := range distances {
		if d.name == name {
			return d, nil
		}
	}
	return distance{}, fmt.Errorf("distances: expected some of %s, found %q", strings.Join(Distances(), ", "), name)
}

// together moves sets by one vector, if they are so far from 0 that float32 does not hold them there.
func together(a, b *datasets.Set) (*datasets.Set, *datasets.Set) {
	if a.Origins == nil && b.Origins == nil {
		return a, b
	}
	sets := datasets.Together(a, b)
	x, y := *sets[0], *sets[1]
	x.Origins, y.Origins = nil, nil
	return &x, &y
}

// Compare computes the metrics of generated against reference. It takes the clouds as they are; the
// released code's have radius 1. The first argument of every distance between the sets is the
// generated cloud. Graph distances run on e. Memory does not grow with the number of clouds, except
// for the matrices of distances, 8 bytes per pair. When ctx ends, Compare returns its error;
// distances in the Store by then are not computed again.
func Compare(ctx context.Context, e *engine.Engine, reference, generated *datasets.Set, o Config) (*Report, error) {
	if err := Check(reference, generated, o); err != nil {
		return nil, err
	}
	r := &Report{NReference: reference.Clouds, NGenerated: generated.Clouds, Conventions: map[string]string{}}
	var err error
	if r.JSD, err = JSD(generated, reference, 1); err != nil {
		return nil, err
	}
	if r.JSDScaled, err = JSD(generated, reference, 0.5); err != nil {
		return nil, err
	}
	generated, reference = together(generated, reference)
	for _, s := range []*datasets.Set{generated, reference} {
		r.Warnings = append(r.Warnings, s.Warnings()...)
	}
	g, f := newSide(generated), newSide(reference)
	for _, name := range o.distances() {
		d, err := named(name)
		if err != nil {
			return nil, err
		}
		m, err := matrices(ctx, e, d, [][2]side{{g, g}, {g, f}, {f, f}}, o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		s, err := NewScores(m[0], m[1], m[2])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		*d.scores(r), r.Conventions[name] = &s, d.loss.Convention().String()
		if name == "emd-approx" {
			r.EMDMatchedMass = min(m[0].MatchedMass, m[1].MatchedMass, m[2].MatchedMass)
			w, err := excess(g, f, m[1])
			if err != nil {
				return nil, err
			}
			if w != "" && !o.Normalize {
				r.Warnings = append(r.Warnings, w)
			}
		}
	}
	return r, nil
}

// excess warns if generated cloud 0 and its nearest reference are too small for the approximate EMD,
// of which d has the values.
func excess(generated, reference side, d Matrix) (string, error) {
	j, value := smallest(d.Cols, func(j int) float64 { return d.At(0, j) })
	x, err := generated.read(0, 1)
	if err != nil {
		return "", err
	}
	y, err := reference.read(j, 1)
	if err != nil {
		return "", err
	}
	f, err := datasets.FrameOf(slices.Concat(x.Coords, y.Coords), x.Dim)
	if err != nil {
		return "", nil // equal points have no radius
	}
	w := loss.ApproximateEMD{Reduce: loss.Mean}.Excess(x, y, f.Scale, value)
	if w != "" {
		w = fmt.Sprintf("emd-approx of generated cloud 0 and reference cloud %d: %s", j, w)
	}
	return w, nil
}
