package reproduce

import (
	"fmt"
	"time"

	"github.com/sliced-wasserstein/lab/experiments/runs"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
)

// Estimate is the work left in a schedule.
type Estimate struct {
	Trainings int // unfinished, each counted once
	Epochs    int // of all of them
	// V100 is the time by the paper's seconds per epoch on its own machine; 0 where it prints none.
	V100 time.Duration
	Disk int64 // bytes of their weights, plus the checkpoints of one training
}

// Estimate counts the missing trainings. Time is known only as the paper's own seconds per epoch on
// its full data.
func (p *Schedule) Estimate(l *runs.Store) Estimate {
	var e Estimate
	if p == nil {
		return e
	}
	seconds := map[string]float64{}
	for _, r := range p.Table.Rows {
		if v, ok := r.Paper["time"]; ok && p.Table.Study == "reconstruction" {
			seconds[r.ID] = v.Mean
		}
	}
	net := &pointnet.Autoencoder{Points: p.Preset.Points}
	size := int64(4 * net.Parameters())
	seen := map[string]bool{}
	for _, j := range p.Missing(l) {
		for _, r := range j.Runs {
			t, ok := r.Run.(runs.Training)
			if needs := r.Run.Needs(); !ok && len(needs) == 1 {
				t, ok = needs[0].(runs.Training)
			}
			if !ok || seen[runs.Hash(t)] || l.Done(t) {
				continue
			}
			seen[runs.Hash(t)] = true
			e.Trainings++
			e.Epochs += t.Config.Epochs
			e.V100 += time.Duration(seconds[j.Row] * float64(t.Config.Epochs) * float64(time.Second))
			e.Disk += 2 * size
		}
	}
	if e.Trainings > 0 {
		e.Disk += 4 * size // two checkpoints with their momentum
	}
	return e
}

// String formats the estimate as one line.
func (e Estimate) String() string {
	s := fmt.Sprintf("%d trainings, %d epochs, %.1f GB on disk", e.Trainings, e.Epochs, float64(e.Disk)/1e9)
	if e.V100 > 0 {
		s += fmt.Sprintf("; at the seconds per epoch that the paper prints (one V100): %.0f hours", e.V100.Hours())
	}
	return s
}
