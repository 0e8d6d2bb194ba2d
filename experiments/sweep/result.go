package sweep

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/sliced-wasserstein/lab/experiments"
	"github.com/sliced-wasserstein/lab/experiments/table"
	"github.com/sliced-wasserstein/lab/internal/settings"
)

// Result holds the numbers of a sweep, some of which may still be missing.
type Result struct {
	Vary        []Vary         `json:"vary"`
	Fixed       map[string]any `json:"fixed"` // the other settings
	Seeds       []uint64       `json:"seeds"`
	Data        string         `json:"data"`
	Test        string         `json:"test"`
	Backend     string         `json:"backend"`   // of the runs, comma-separated
	Reference   int            `json:"reference"` // the row that the others are compared with
	Rows        []Row          `json:"rows"`
	Uncertainty string         `json:"uncertainty"`
	// Conventions describes the metrics, by their keys.
	Conventions map[string]string `json:"conventions"`
}

// Row is a point of the grid. Numbers are in the units of experiments.Scores, by the keys cd, sw,
// emd_approx, emd_exact, and time (seconds per epoch).
type Row struct {
	Settings map[string]any        `json:"settings"` // those that vary
	State    State                 `json:"state"`
	Reason   string                `json:"reason,omitempty"` // why it was refused, or failed
	Values   map[string]table.Cell `json:"values"`           // over seeds
	// Difference is that from the reference; none for the reference itself and rows with other test
	// clouds.
	Difference map[string]Difference `json:"difference"`
}

// State of a row.
type State string

// The states. A refused row has an invalid combination of settings.
const (
	Pending State = "pending"
	Done    State = "done"
	Refused State = "refused"
	Failed  State = "failed"
)

// WithoutTimes returns r without its seconds, which differ between runs.
func (r *Result) WithoutTimes() *Result {
	out := *r
	out.Rows = slices.Clone(r.Rows)
	for i, row := range out.Rows {
		out.Rows[i].Values = maps.Clone(row.Values)
		delete(out.Rows[i].Values, "time")
	}
	return &out
}

// Difference is a row's metric minus the reference's, paired: same test clouds, same directions,
// same training seed. With d_i the difference at cloud i, averaged over the seeds, the interval is
// that of experiments.Paired: over clouds, for these trainings. SD is that of the mean difference
// over seeds.
type Difference struct {
	table.Cell
	Low    float64 `json:"low"` // 95 % interval of Mean
	High   float64 `json:"high"`
	P      float64 `json:"p"` // of the paired t test
	Clouds int     `json:"clouds"`
}

// half returns half the length of the interval.
func (d Difference) half() float64 { return (d.High - d.Low) / 2 }

// uncertainty is printed with every sweep.
const uncertainty = "sd: over training seeds. difference: to the reference row on the same test clouds, along the same directions, with the same training seed, " +
	"averaged over seeds; its interval is over clouds, for these trainings, and says nothing about other seeds, its sd is over seeds"

// metrics lists the metrics compared: key, here and in experiments.Comparison and
// experiments.Conventions; name; what is done over points.
var metrics = []struct{ key, name, over string }{
	{"cd", "CD", "mean over points"},
	{"sw", "SW", "sum over points"},
	{"emd_approx", "EMD", "sum over points"},
	{"emd_exact", "EMD exact", "sum over points"},
}

// differences compares a with b cloud by cloud, one pair per seed. It returns nil for different
// clouds or a single one.
func differences(pairs [][2]experiments.Scores) map[string]Difference {
	if len(pairs) == 0 {
		return nil
	}
	seeds, means := map[string][]float64{}, [2]map[string][]float64{{}, {}}
	for _, pair := range pairs {
		c, err := experiments.Compare(pair[0], pair[1], 1)
		if err != nil {
			return nil
		}
		for key, m := range c.Metrics {
			seeds[key] = append(seeds[key], m.Difference)
			for i, s := range pair {
				v := s.PerCloud.Metric(key)
				if means[i][key] == nil {
					means[i][key] = make([]float64, len(v))
				}
				floats.AddScaled(means[i][key], 1/float64(len(pairs)), v)
			}
		}
	}
	out := map[string]Difference{}
	for key, d := range seeds {
		c, err := experiments.ComparePaired(means[0][key], means[1][key], 1)
		if err != nil {
			return nil
		}
		out[key] = Difference{table.NewCell(d...), c.Low, c.High, c.P, len(means[0][key])}
	}
	return out
}

// text returns the row's value of a setting as written.
func (r Row) text(name string) string {
	if text := fmt.Sprint(r.Settings[name]); text != "" {
		return text
	}
	return settings.None
}

// Label describes the row's settings.
func (r *Result) Label(row int) string {
	var parts []string
	for _, v := range r.Vary {
		parts = append(parts, v.Name+" "+r.Rows[row].text(v.Name))
	}
	return strings.Join(parts, ", ")
}

// Count returns the number of rows in that state.
func (r *Result) Count(s State) int {
	n := 0
	for _, row := range r.Rows {
		if row.State == s {
			n++
		}
	}
	return n
}

func (r *Result) varies(name string) bool {
	return slices.ContainsFunc(r.Vary, func(v Vary) bool { return v.Name == name })
}
