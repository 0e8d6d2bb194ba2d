package train

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
)

// TestBatchesAgree: clouds on the device and clouds uploaded in batches, in a run interrupted within
// an epoch and resumed, give the same log, weights and configuration, bit for bit.
func TestBatchesAgree(t *testing.T) {
	t.Parallel()
	c := config("v-dsw", "la")
	c.Points, c.Batch, c.Epochs = 16, 4, 2
	set := boxes(8, 16) // one size of batch, one compilation a run
	e := backend(t)
	whole, cut := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "cut")
	must.M1(Run(context.Background(), e, set, c, Options{Out: whole}))
	cutOff(t, e, set, c, 3, Options{Out: cut, DeviceData: -1})
	must.M1(Run(context.Background(), e, set, c, Options{Out: cut, Resume: true, DeviceData: -1}))
	if n := len(values(t, whole)); n != 4 {
		t.Errorf("%d steps, expected 4", n)
	}
	sameRuns(t, cut, whole, weightsFile, bestFile, amortizerFile, configFile)
}

// TestBatchesChooses: the set goes to the device up to the allowed bytes. Both ways give the clouds
// of every batch from any step on, including the smaller ones at the end of an epoch, and free what
// is on the device: Go's collector does not see its size.
func TestBatchesChooses(t *testing.T) {
	set := boxes(12, 16)
	c := config("sw", "")
	c.Points, c.Clouds, c.Epochs = 16, 12, 2
	for budget, resident := range map[int64]bool{0: true, 12 * 16 * 3 * 4: true, 12*16*3*4 - 1: false, -1: false} {
		f := must.M1(newBatches(backend(t), set, budget))
		if (f.all != nil) != resident {
			t.Errorf("%d bytes: on the device %v, expected %v", budget, f.all != nil, resident)
		}
		var sizes []int
		for rows := range c.batchesFrom(1) {
			sizes = append(sizes, len(rows))
			want := make([]float32, len(rows)*16*3)
			must.M(set.Read(want, rows))
			data, at := must.M2(f.next(rows))
			var got []float32
			all := data.Value().([][][]float32)
			for _, row := range at.Value().([]int32) {
				got = append(got, slices.Concat(all[row]...)...)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%d bytes: other clouds than those of the batch", budget)
			}
			f.used(data)
			if freed := data.CheckValid() != nil; freed == resident {
				t.Errorf("%d bytes: the clouds of a step freed %v", budget, freed)
			}
		}
		if !slices.Equal(sizes, []int{5, 2, 5, 5, 2}) {
			t.Errorf("batches of %v", sizes)
		}
		f.close()
		if resident && f.all.CheckValid() == nil {
			t.Error("the clouds on the device were not freed")
		}
	}
}
