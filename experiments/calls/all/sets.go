package all

import (
	"fmt"
	"slices"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments/calls"
	"github.com/sliced-wasserstein/lab/swlab/align"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/sets"
)

// embedded makes vectors of the clouds, relative to a point among them if their distances alone count.
func embedded(r *calls.Request, a *calls.Answer, c sets.Config, distances bool) (*sets.Embedding, error) {
	s, err := r.Clouds("clouds")
	if err != nil {
		return nil, err
	}
	if c.Directions, err = r.Directions(s.Dim); err != nil {
		return nil, err
	}
	if err := r.Refuse(func(name string) (why string, err error) {
		if c.Directions != nil && (name == "slices" || name == "slicing") {
			why = "the directions are used as given"
		}
		return why, nil
	}); err != nil {
		return nil, err
	}
	c.Seed = r.Seed
	if distances && s.Validate() == nil {
		c.Origin = sets.Centre(s)
	}
	e, err := sets.Embed(s, c)
	if err != nil {
		return nil, err
	}
	calls.Add(a, "directions", e.Directions, e.Slices, s.Dim)
	calls.Add(a, "slices", []int32{int32(e.Slices)})
	calls.Add(a, "quantiles", []int32{int32(e.Quantiles)})
	return e, nil
}

// embed calls sets.Embed.
func embed(r *calls.Request, a *calls.Answer) error {
	var c sets.Config
	if err := r.Apply(&c); err != nil {
		return err
	}
	e, err := embedded(r, a, c, false)
	if err == nil {
		calls.Add(a, "vectors", e.Vectors, e.Clouds, e.Size)
	}
	return err
}

// pairwise computes the matrix of distances, or a kernel.
func pairwise(r *calls.Request, a *calls.Answer) error {
	var c struct {
		sets.Config
		Kernel float64 `json:"kernel" range:">0.."`
	}
	if err := r.Apply(&c); err != nil {
		return err
	}
	e, err := embedded(r, a, c.Config, true)
	if err != nil {
		return err
	}
	m, err := e.Distances()
	if err == nil && c.Kernel > 0 {
		m, err = sets.Kernel(m, c.Kernel)
	}
	calls.Add(a, "matrix", m, e.Clouds, e.Clouds)
	return err
}

// neighbours finds the nearest other clouds.
func neighbours(r *calls.Request, a *calls.Answer) error {
	var c struct {
		sets.Config
		K int `json:"k"`
	}
	if err := r.Apply(&c); err != nil {
		return err
	}
	e, err := embedded(r, a, c.Config, true)
	if err != nil {
		return err
	}
	rows, distances, err := e.Neighbours(c.K)
	calls.Add(a, "neighbours", rows, e.Clouds, c.K)
	calls.Add(a, "distances", distances, e.Clouds, c.K)
	return err
}

// cluster is k-means of clouds.
func cluster(r *calls.Request, a *calls.Answer) error {
	var c struct {
		sets.Config
		sets.ClusterConfig
	}
	if err := r.Apply(&c); err != nil {
		return err
	}
	e, err := embedded(r, a, c.Config, true)
	if err != nil {
		return err
	}
	c.ClusterConfig.Seed = r.Seed
	found, err := e.Cluster(c.ClusterConfig)
	if err != nil {
		return err
	}
	calls.Add(a, "labels", found.Labels, e.Clouds)
	calls.Add(a, "centres", found.Centres, c.K, e.Size)
	calls.Add(a, "inertia", []float64{found.Inertia})
	return nil
}

// barycenter calls align.Barycenter.
func barycenter(r *calls.Request, a *calls.Answer) error {
	var c struct {
		align.BarycenterConfig
		loss.Config
	}
	c.Loss = r.Settings["loss"]
	c.Config = align.Descent(c.Loss)
	if err := r.Apply(&c); err != nil {
		return err
	}
	if _, err := loss.New(c.Loss, c.Config); err != nil {
		return err
	}
	if err := r.Refuse(func(name string) (string, error) {
		switch {
		case name == "reduce" || name == "root":
			return "a barycenter is that of a mean over points without a root", nil
		case slices.Contains(loss.SettingNames(), name):
			return loss.Unread(c.Loss, c.Config, false, name)
		}
		return "", nil
	}); err != nil {
		return err
	}
	s, err := r.Clouds("clouds")
	if err != nil {
		return err
	}
	o := c.BarycenterConfig
	o.Config, o.Seed = c.Config, r.Seed
	m, err := align.Barycenter(s, o)
	if err != nil {
		return err
	}
	a.Text = map[string]string{"loss": c.Loss, "convention": m.Convention}
	calls.Add(a, "points", m.Points, len(m.Points)/s.Dim, s.Dim)
	calls.Add(a, "value", []float64{m.Value})
	calls.Add(a, "stderr", []float64{m.StdErr})
	return nil
}

// colors calls align.Colors for pictures [height, width, 3] of numbers from 0 to 1.
func colors(r *calls.Request, a *calls.Answer) error {
	var c struct {
		align.ColorsConfig
		Round bool `json:"round"`
	}
	if err := r.Apply(&c); err != nil {
		return err
	}
	var pictures [2]*datasets.Set
	var shape []int
	for i, name := range []string{"to", "source"} {
		var found []int
		if given := r.Array(name); given != nil {
			found = given.Shape
		}
		if len(found) != 3 || found[2] != 3 {
			return fmt.Errorf("%s: expected a picture [height, width, 3], found shape %v", name, found)
		}
		values, _ := r.Wide(name)
		s, err := datasets.New(values, found[0]*found[1], 3)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		s.Name, shape, pictures[i] = name, found, s
	}
	var limit func([]float64)
	if c.Round {
		limit = align.Round8
	}
	c.ColorsConfig.Seed = r.Seed
	moved, before, after, err := align.Colors(pictures[1], pictures[0], c.ColorsConfig, limit)
	calls.Add(a, "picture", moved, shape...)
	calls.Add(a, "before", []float64{before})
	calls.Add(a, "after", []float64{after})
	return err
}

// register calls align.Register.
func register(r *calls.Request, a *calls.Answer) error {
	var c align.RegisterConfig
	if err := r.Apply(&c); err != nil {
		return err
	}
	x, y, err := r.Pair("x", "y")
	if err != nil {
		return err
	}
	c.Seed = r.Seed
	m, err := align.Register(x, y, c)
	if err != nil {
		return err
	}
	moved := x.Positions(0)
	m.Apply(moved)
	calls.Add(a, "rotation", m.Rotation, x.Dim, x.Dim)
	calls.Add(a, "translation", m.Translation, x.Dim)
	calls.Add(a, "angle_deg", []float64{m.Degrees})
	calls.Add(a, "share", []float64{m.Share})
	calls.Add(a, "rms", []float64{m.Error})
	calls.Add(a, "moved", moved, x.Points, x.Dim)
	return nil
}
