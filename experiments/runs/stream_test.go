package runs

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments/gap"
	"github.com/sliced-wasserstein/lab/swlab/latent"
	"github.com/sliced-wasserstein/lab/swlab/metric"
)

// TestStreams: every kind of task gives the same on clouds that are larger than the memory allowed
// for them as on the same clouds in memory, seconds aside.
func TestStreams(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make check")
	}
	path := stored(t, filepath.Join(t.TempDir(), "clouds"), 1)
	const allowed = 20*40*3*4 - 1 // one byte less than all clouds
	held, streamed := &Store{Dir: t.TempDir(), Backend: "go"}, &Store{Dir: t.TempDir(), Backend: "go", Memory: allowed}
	defer held.Close()
	defer streamed.Close()
	tasks := func(l *Store) []Task {
		data, err := l.Data(Data{Path: path, Split: "train", Points: 32})
		if err != nil {
			t.Fatal(err)
		}
		validated := data
		validated.Val = 0.1
		val := validated.Part("val")
		training, watched := sw(data), sw(validated)
		watched.Validation = &val
		classifier, generator, study := latent.DefaultClassifier(0), latent.DefaultGenerator(), gap.Smoke()
		classifier.Epochs, classifier.Batch, generator.Epochs, generator.Batch = 2, 4, 2, 4
		study.Batches, study.Pairs, study.HeldOut, study.Common = 2, 2, 2, 10
		ofClasses := data
		ofClasses.Classes = datasets.ShapeClasses()[:2]
		return []Task{training, watched, sw(ofClasses),
			Scores{Of: training, State: "best", Data: data.Part("test"), Exact: true, Seed: 1},
			Accuracy{Coded: Coded{Of: training, State: "best", Train: data, Test: data.Part("test")}, Config: classifier},
			Generation{Of: watched, State: "best", Train: validated, Test: validated.Part("test"), Config: generator, Seed: 1, Distances: metric.PaperDistances()},
			Gap{Data: data, Config: gap.PaperRows(study)[0]}}
	}
	for i, r := range tasks(held) {
		if other := tasks(streamed)[i]; Hash(other) != Hash(r) {
			t.Errorf("%s: another hash on a stream", r.Kind())
		}
		results := map[*Store]any{}
		for _, l := range []*Store{held, streamed} {
			do(t, l, r)
			var v any
			if err := l.Result(r, &v); err != nil {
				t.Fatal(err)
			}
			results[l] = untimed(v)
			for _, d := range r.Clouds() {
				clouds, err := l.open(d)
				if err != nil {
					t.Fatal(err)
				}
				if _, stream := clouds.(*datasets.Stream); stream != (l == streamed) {
					t.Fatalf("%s: the clouds are a %T", r.Kind(), clouds)
				}
			}
		}
		if !reflect.DeepEqual(results[held], results[streamed]) {
			t.Errorf("%s %s:\nin memory: %v\nstreamed:  %v", r.Kind(), r.Name(), results[held], results[streamed])
		}
	}
}

// untimed returns a result without its seconds and, of the gap study, its times.
func untimed(v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := map[string]any{}
	for key, x := range m {
		if !strings.Contains(key, "seconds") && key != "times" {
			out[key] = untimed(x)
		}
	}
	return out
}
