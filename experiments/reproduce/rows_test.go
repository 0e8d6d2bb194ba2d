package reproduce

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/experiments/runs"
)

// TestRows: the rows of every table at the paper's size, and their runs, are those that were
// compared with lists made by hand from the protocol (sections 1, 5.6, 6.5, 7 and traps T1, T2, T3,
// T17). Stores hold results under these hashes.
func TestRows(t *testing.T) {
	l := &runs.Store{Dir: t.TempDir()}
	p := preset(t, "paper")
	for name, want := range map[string]string{
		"short_reconstruction_result":      "c950df567978d2bd",
		"full_reconstruction_result":       "f5aae0bd8eeffad7",
		"full_reconstruction_quantitative": "9eec7e923bb93e0b",
		"ablation_L":                       "19a52bece97c79bd",
		"ablation_T":                       "789f5ede5101f4e2",
		"ablation_kappa":                   "0132db388897d7a4",
		"vDSW_approximation":               "52d56c079074e770",
		"short_generation_result":          "a680878f9fd424c3",
		"full_generation_result":           "09837db3dd509303",
	} {
		all := sha256.New()
		plan := plan(t, l, name, p)
		for _, r := range plan.Table.Rows {
			all.Write(must.M1(json.Marshal(r)))
		}
		for _, j := range plan.Jobs {
			for _, r := range j.Runs {
				fmt.Fprintln(all, j.Name(), runs.Hash(r.Run))
			}
		}
		if got := fmt.Sprintf("%x", all.Sum(nil)[:8]); got != want {
			t.Errorf("%s: %s, want %s: other rows or settings than before", name, got, want)
		}
	}
}
