package reproduce

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/datasets/catalogue"
	"github.com/sliced-wasserstein/lab/datasets/format"
	"github.com/sliced-wasserstein/lab/experiments/runs"
	"github.com/sliced-wasserstein/lab/experiments/table"
)

// TestPlans: every table at every size has a job per row (candidate) and seed. Together they fill every cell of
// the paper and of our own columns.
func TestPlans(t *testing.T) {
	l := &runs.Store{}
	for _, name := range table.Names() {
		paper := must.M1(table.Get(name))
		for _, size := range PresetNames() {
			if testing.Short() && size != "smoke" {
				continue
			}
			l.Dir = t.TempDir() // few runs in a folder are found fast
			p := preset(t, size)
			p.Seeds = p.Seeds[:1]
			for study, seeds := range p.ClaimSeeds {
				p.ClaimSeeds[study] = seeds[:2]
			}
			plan := plan(t, l, name, p)
			names := map[string]bool{}
			for _, j := range plan.Jobs {
				names[j.Name()] = true
				for _, r := range j.Runs {
					pretend(t, l, r.Run)
				}
				if r := j.training(); r != nil {
					pretend(t, l, *r)
				}
			}
			want, all := 0, p.Seeds
			for _, r := range plan.Table.Rows {
				want += len(p.candidates(r)) * len(p.seeds(paper.Study, r.ID))
				if len(p.seeds(paper.Study, r.ID)) > len(all) {
					all = p.seeds(paper.Study, r.ID)
				}
			}
			if len(plan.Jobs) != want || len(names) != len(plan.Jobs) {
				t.Errorf("%s, %s: %d jobs, %d names, expected %d", name, size, len(plan.Jobs), len(names), want)
			}
			f := must.M1(plan.Fill(l, nil))
			if len(f.Failed) != 0 || f.Preset != size || f.Backend != "here" || f.Data == "" || !slices.Equal(slices.Sorted(slices.Values(f.Seeds)), all) || len(plan.Missing(l)) != 0 {
				t.Errorf("%s, %s: failed %v, backend %q, data %q, seeds %v", name, size, f.Failed, f.Backend, f.Data, f.Seeds)
			}
			for i, r := range plan.Table.Rows {
				if r.Name == "" {
					t.Errorf("%s: row %s has no name", name, r.ID)
				}
				if i < len(paper.Rows) && (r.ID != paper.Rows[i].ID || r.Name != paper.Rows[i].Name || r.Ours) {
					t.Errorf("%s: row %d is %s, the paper's %s", name, i, r.ID, paper.Rows[i].ID)
				}
				for k, c := range plan.Table.Columns {
					if k < len(paper.Columns) && c != paper.Columns[k] {
						t.Errorf("%s: column %d is %+v, the paper's %+v", name, k, c, paper.Columns[k])
					}
					cell, ok := f.Cells[r.ID][c.Key]
					if setting := c.Better == table.None; !ok && !(setting && r.Ours) {
						t.Errorf("%s, %s: row %s has no %s", name, size, r.ID, c.Key)
					} else if ok && !setting && cell.N != len(p.seeds(paper.Study, r.ID)) {
						t.Errorf("%s, %s: row %s, %s: %d values", name, size, r.ID, c.Key, cell.N)
					}
				}
			}
			if err := table.Write(new(strings.Builder), f, "json"); err != nil {
				t.Errorf("%s, %s: %v", name, size, err)
			}
		}
	}
}

// TestReadings: which number of a result goes to which column.
func TestReadings(t *testing.T) {
	l := &runs.Store{Dir: t.TempDir()}
	for name, want := range map[string]map[string]float64{
		"full_reconstruction_result":       {"cd": 1, "sw": 2, "emd": 3, "acc": 0.5, "acc_svm": 0.6, "time": 8, "emd_exact": 4, "cd_last": 11, "sw_last": 12, "emd_last": 13},
		"ablation_L":                       {"slices": 100, "cd": 1, "sw": 2, "emd": 3, "time": 8, "emd_exact": 4, "cd_last": 11, "sw_last": 12, "emd_last": 13},
		"full_reconstruction_quantitative": {"pc1": 31, "pc2": 32, "pc3": 33, "pc4": 34, "pc5": 35, "pc6": 36, "avg": 3},
		"vDSW_approximation":               {"ascent_steps": 1, "distance": 1, "time": 14, "training": 21, "held_out": 22, "gap": 23, "range": 24, "off": 25, "locate_go": 26, "locate_xla": 27},
		"short_generation_result": {"jsd": 1, "jsd_half": 2, "mmd_cd": 3, "mmd_cd_std": 4, "cov_cd": 5, "cov_cd_std": 6, "nna_cd": 7,
			"mmd_emd": 13, "mmd_emd_std": 14, "cov_emd": 15, "cov_emd_std": 16, "nna_emd": 17},
	} {
		row := "la-v-dsw"
		if name == "vDSW_approximation" {
			row = "la-v-dsw-L10"
		}
		plan := plan(t, l, name, preset(t, "smoke"), row)
		for _, r := range plan.Jobs[0].Runs {
			pretend(t, l, r.Run)
		}
		f := must.M1(plan.Fill(l, nil))
		got := map[string]float64{}
		for key, c := range f.Cells[row] {
			got[key] = c.Mean
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// TestRowsAndSeeds: rows are chosen by id and by name, in the given order, once; seeds are jobs.
func TestRowsAndSeeds(t *testing.T) {
	l := &runs.Store{Dir: t.TempDir()}
	p := preset(t, "smoke")
	p.Seeds = []uint64{4, 2}
	plan := plan(t, l, "short_reconstruction_result", p, "LAv-DSW", "chamfer", "la-v-dsw", "max-sw-T50-moving")
	var names []string
	for _, j := range plan.Jobs {
		names = append(names, j.Name())
		if got := j.training().Config.Seed; got != j.Seed {
			t.Errorf("%s is trained with seed %d", j.Name(), got)
		}
		if found, err := plan.Item(j.Name()); err != nil || found.Row != j.Row || found.Seed != j.Seed {
			t.Errorf("%s: %v, %v", j.Name(), found, err)
		}
	}
	if got, want := strings.Join(names, " "), "la-v-dsw/4 la-v-dsw/2 chamfer/4 chamfer/2 max-sw-T50-moving/4 max-sw-T50-moving/2"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	wantError(t, failure(plan.Item("sw/4")), `no job "sw/4"`)
	bare, err := NewSchedule(l, "short_reconstruction_result", p, nil, false)
	if err != nil || len(bare.Table.Rows) != 15 || len(bare.Table.Columns) != 5 {
		t.Errorf("without ours: %d rows, %d columns, %v", len(bare.Table.Rows), len(bare.Table.Columns), err)
	}
	if _, err := NewSchedule(l, "short_reconstruction_result", p, []string{"sw", "max-sw-T50-moving"}, false); err == nil || !strings.Contains(err.Error(), `unknown row "max-sw-T50-moving", expected one of chamfer, emd-approx`) {
		t.Error(err)
	}
	byName := must.M1(NewSchedule(l, "short_reconstruction_result", p, []string{"eb-sw", "v-dsw+point+l", "sw"}, false))
	if c := byName.Jobs[2].training().Config; len(byName.Jobs) != 6 || c.Loss != "v-dsw" || c.Slicing != "point" || c.Amortizer != "l" || !byName.Table.Rows[1].Ours {
		t.Errorf("rows by registered names: %+v", c)
	}
	for row, says := range map[string]string{"sw+nothing": `unknown row "sw+nothing"`, "sw+la": "amortizer = la would do nothing", "emd-exact": "no network", "v-dsw+la+ea": "unknown row"} {
		wantError(t, failure(NewSchedule(l, "short_reconstruction_result", p, []string{row}, true)), says)
	}
	wantError(t, failure(NewSchedule(l, "vDSW_approximation", p, []string{"eb-sw"}, true)), "unknown row")
	wantError(t, failure(NewSchedule(l, "table_1", p, nil, true)), `"table_1"`)
	p.Seeds = []uint64{1, 1}
	wantError(t, failure(NewSchedule(l, "ablation_T", p, nil, true)), "seeds: 1 twice")
	if got, err := ParseSeeds("3, 1,2"); err != nil || !slices.Equal(got, []uint64{3, 1, 2}) {
		t.Error(got, err)
	}
	for _, bad := range []string{"", "1,", "one", "-1"} {
		wantError(t, failure(ParseSeeds(bad)), "seeds: expected numbers")
	}
}

// TestSizes: the head of a table says how many clouds it was trained and scored on, and how many the
// data set of that name has.
func TestSizes(t *testing.T) {
	cache, other := t.TempDir(), filepath.Join(t.TempDir(), "other.npy")
	t.Setenv("SWLAB_CACHE", cache)
	source := must.M1(catalogue.Find("shapenet-core55"))
	set := must.M1(datasets.Shapes{Points: 16, Train: 1}.Generate())
	must.M(errors.Join(
		os.MkdirAll(filepath.Dir(source.Path(cache)), 0o755),
		os.WriteFile(filepath.Join(source.Dir(cache), catalogue.RecordName), []byte("{}"), 0o644),
		format.WriteNPZ(source.Path(cache), set.Coords[:14*16*3], []int{14, 16, 3}, nil),
		format.WriteNPY(other, set.Coords[:9*16*3], 9, 16, 3),
	))
	l := &runs.Store{Dir: t.TempDir()}
	p := preset(t, "smoke")
	p.Data, p.Test, p.Batch, p.Select = "shapenet-core55", other, 8, "none"
	p.GapBatches, p.GapPairs, p.GapHeldOut = 1, 3, 2
	built := preset(t, "smoke") // two training clouds and one test cloud in each of 32 classes
	for _, c := range []struct {
		table, want string
		p           Preset
	}{
		{"ablation_L", "trained on shapenet-core55 (train), 14 of 57,448 clouds; scored on " + other + " (all), 9 clouds", p},
		{"full_reconstruction_quantitative", "trained on shapenet-core55 (train), 14 of 57,448 clouds; six of them scored", p},
		{"vDSW_approximation", "shapenet-core55 (train), 14 of 57,448 clouds; 10 of them in pairs", p},
		{"ablation_L", "trained on swshapes-1 (train), 64 clouds; scored on swshapes-1 (test), 32 clouds", built},
		{"short_generation_result", "swshapes-1 chair (train), 32 clouds; swshapes-1 chair (val), 1 cloud; swshapes-1 chair (test), 12 clouds", built},
	} {
		f := must.M1(plan(t, l, c.table, c.p).Fill(l, nil))
		if f.Data != c.want {
			t.Errorf("%s: %q, expected %q", c.table, f.Data, c.want)
		}
	}
	// Too few clouds are one sentence, before anything runs.
	few, chairs := p, built
	few.GapPairs, few.Batch, chairs.ChairBatch = 60, 15, 40
	for name, c := range map[string]struct {
		p    Preset
		says string
	}{
		"vDSW_approximation":               {few, "1 batches of 60 pairs and 2 pairs held out need 124 clouds, found 14; lower gap_batches, gap_pairs or gap_held_out"},
		"ablation_L":                       {few, "batch: 15 is larger than the 14 training clouds of shapenet-core55"},
		"full_reconstruction_quantitative": {few, "batch: 15 is larger than the 14 training clouds"},
		"short_generation_result":          {chairs, "chair_batch: 40 is larger than the 32 training clouds of builtin"},
	} {
		err := Ready(plan(t, l, name, c.p))
		wantError(t, err, c.says)
		if strings.Contains(fmt.Sprint(err), "\n") {
			t.Errorf("%s: more than one sentence: %v", name, err)
		}
	}
}
