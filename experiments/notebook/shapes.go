package notebook

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments"
	"github.com/sliced-wasserstein/lab/experiments/reproduce"
	"github.com/sliced-wasserstein/lab/experiments/runs"
	"github.com/sliced-wasserstein/lab/internal/xlaenv"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/vmfviz"
)

// shapesTable is the table whose runs the paper's pictures of reconstructions show.
const shapesTable = "full_reconstruction_quantitative"

// Shapes holds the clouds of the paper's pictures of reconstructions: the six training shapes of
// its table full_reconstruction_quantitative, and their reconstructions by the network of every
// loss.
type Shapes struct {
	Names    []string         // of the shapes: their classes, or PC1 to PC6
	Inputs   [][]float32      // of the shapes, [points, 3]
	Rows     []Reconstruction // one per loss
	Settings []string         // what was reduced compared with the paper
}

// Reconstruction is one network's output for the six shapes.
type Reconstruction struct {
	ID, Name string      // of the table's row
	Clouds   [][]float32 // [points, 3] each
	// EMD is the approximate EMD to the inputs, summed over points, as in the table.
	EMD []float64
}

// Shapes trains what is missing of the table full_reconstruction_quantitative at the preset's size
// with its first seed, below a bar unless quiet. It returns the reconstructions by the networks of
// the epochs of lowest training loss, as the table scores them. rows are ids or names; nil means
// the paper's. The runs are those of the table: what Table or `swlab table run` has made in Out is
// read. The stop button ends it with an error, and calling it again resumes.
func (b *Session) Shapes(p reproduce.Preset, rows []string, quiet bool) (Shapes, error) {
	p.Seeds = p.Seeds[:1]
	if b.Data != datasets.Builtin {
		p.Clouds(b.Data, "")
	}
	if p.Name == "smoke" {
		xlaenv.FastCompile()
	}
	lab := &runs.Store{Dir: b.Out}
	plan, err := reproduce.NewSchedule(lab, shapesTable, p, rows, rows != nil)
	if err != nil {
		return Shapes{}, err
	}
	if quiet {
		ctx, stop := signal.NotifyContext(b.context(), os.Interrupt)
		defer stop()
		err = reproduce.Do(ctx, lab, plan.Missing(lab), nil, nil)
	} else {
		err = b.do(lab, plan, nil)
	}
	if err != nil {
		return Shapes{}, err
	}
	s := Shapes{Settings: plan.Settings}
	var six *datasets.Set
	for i, j := range plan.Jobs {
		scored, ok := j.Runs[0].Run.(runs.Scores)
		if !ok || !scored.Six {
			return Shapes{}, fmt.Errorf("table %s: row %s does not score the six shapes", shapesTable, j.Row)
		}
		if six == nil {
			if six, err = sixOf(lab, scored.Data); err != nil {
				return Shapes{}, err
			}
		}
		// One seed, so one job per row.
		r := Reconstruction{ID: j.Row, Name: plan.Table.Rows[i].Name}
		var result experiments.Scores
		if err := lab.Result(scored, &result); err != nil {
			return Shapes{}, err
		}
		r.EMD = result.PerCloud.EMD
		if r.Clouds, err = b.reconstructions(lab, scored, six); err != nil {
			return Shapes{}, fmt.Errorf("row %s: %w", j.Row, err)
		}
		s.Rows = append(s.Rows, r)
	}
	s.Inputs = must.M1(vmfviz.Split(six.Coords, six.Clouds))
	for i := range six.Clouds {
		name := fmt.Sprintf("PC%d", i+1)
		if six.Labels != nil && int(six.Labels[i]) < len(six.Classes) {
			name = six.Classes[six.Labels[i]]
		}
		s.Names = append(s.Names, name)
	}
	return s, nil
}

// sixOf returns the six shapes of the data.
func sixOf(lab *runs.Store, d runs.Data) (*datasets.Set, error) {
	clouds, err := lab.Clouds(d)
	if err != nil {
		return nil, err
	}
	six, _, err := experiments.SixShapes(clouds)
	return six, err
}

// reconstructions returns the scored network's output for the six shapes, cached.
func (b *Session) reconstructions(lab *runs.Store, scored runs.Scores, six *datasets.Set) ([][]float32, error) {
	points, err := Cached(b, "shapes", runs.Hash(scored), func() ([]float32, error) {
		w, err := runs.Weights(filepath.Join(lab.Folder(scored.Of), runs.RunFolder), scored.State)
		if err != nil {
			return nil, err
		}
		net, err := swlab.NewNetwork(w)
		if err != nil {
			return nil, err
		}
		e, err := lab.Engine()
		if err != nil {
			return nil, err
		}
		return net.Reconstruct(six, swlab.NetworkOptions{Engine: e})
	})
	if err != nil {
		return nil, err
	}
	return vmfviz.Split(points, six.Clouds)
}
