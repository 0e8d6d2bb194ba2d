package reproduce

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments"
	"github.com/sliced-wasserstein/lab/experiments/gap"
	"github.com/sliced-wasserstein/lab/experiments/runs"
	"github.com/sliced-wasserstein/lab/swlab/metric"
	"github.com/sliced-wasserstein/lab/swlab/train"
)

// preset is the one of that name on few built-in shapes, apart from the size: schedules read their
// clouds.
func preset(t *testing.T, name string) Preset {
	t.Helper()
	p := must.M1(PresetOf(name))
	p.Data, p.Test, p.Chairs, p.Points, p.GapPoints = datasets.Builtin, "", datasets.Builtin, 16, 16
	p.PerClass, p.PerTest = 2, 1
	return p
}

// plan returns a table's schedule, including our rows.
func plan(t *testing.T, l *runs.Store, name string, p Preset, rows ...string) *Schedule {
	t.Helper()
	return must.M1(NewSchedule(l, name, p, rows, true))
}

// training returns the job's training, or nil.
func (j Item) training() *runs.Training {
	for _, r := range j.Runs {
		if t, ok := r.Run.(runs.Training); ok {
			return &t
		}
		for _, n := range r.Run.Needs() {
			if t, ok := n.(runs.Training); ok {
				return &t
			}
		}
	}
	return nil
}

// pretend puts a result into the store, as if the run had been done. All its numbers differ.
func pretend(t *testing.T, l *runs.Store, r runs.Task) {
	t.Helper()
	var result any
	switch r := r.(type) {
	case runs.Training:
		result = runs.TrainingResult{Result: train.Result{Steps: 9, Loss: 8}, Backend: "here", SecondsPerEpoch: 7 + float64(r.Config.Seed)}
	case runs.Scores:
		s := experiments.Scores{N: 6, CD: experiments.Score{Mean: 1, StdErr: 91}, SW: experiments.Score{Mean: 2, StdErr: 92}, EMD: experiments.Score{Mean: 3, StdErr: 93},
			PerCloud: &experiments.PerCloud{EMD: []float64{31, 32, 33, 34, 35, 36}}}
		if r.Exact {
			s.ExactEMD = &experiments.Score{Mean: 4, StdErr: 94}
		}
		if r.State == "last" {
			s.CD.Mean, s.SW.Mean, s.EMD.Mean = 11, 12, 13
		}
		result = s
	case runs.SVMAccuracy:
		v := runs.SVMAccuracyResult{}
		v.Accuracy = 0.6
		result = v
	case runs.Accuracy:
		v := runs.AccuracyResult{}
		v.Accuracy, v.Loss = 0.5, 95
		result = v
	case runs.Gap:
		v := gap.Result{Backend: "here"}
		v.Paper.Distance.Mean, v.Paper.SearchSeconds, v.Paper.PredictSeconds, v.Paper.EvaluateSeconds = 1, 2, 4, 8
		v.Training.Exact.Mean, v.HeldOut.Exact.Mean, v.HeldOut.Gap.Mean, v.HeldOut.NormalizedGap.Mean, v.HeldOut.AngleToOptimum.Mean = 21, 22, 23, 24, 25
		v.Times = []gap.LocateTime{{Backend: "go", Median: 26}, {Backend: "xla:cpu", Median: 27}}
		result = v
	case runs.Generation:
		result = metric.Report{JSD: 1, JSDScaled: 2,
			CD:        &metric.Scores{MMDPaper: 3, MMDStandard: 4, COVPaper: 5, COVStandard: 6, NNA: 7},
			EMDApprox: &metric.Scores{MMDPaper: 13, MMDStandard: 14, COVPaper: 15, COVStandard: 16, NNA: 17}}
	default:
		t.Fatalf("no such run: %T", r)
	}
	raw := must.M1(json.Marshal(result))
	dir := l.Folder(r)
	must.M(errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, "result.json"), raw, 0o644)))
}

// wantError fails unless the error says that.
func wantError(t *testing.T, err error, says string) {
	t.Helper()
	if !strings.Contains(fmt.Sprint(err), says) {
		t.Errorf("error %v, expected %q in it", err, says)
	}
}

// failure returns the error of a call.
func failure[T any](_ T, err error) error { return err }
