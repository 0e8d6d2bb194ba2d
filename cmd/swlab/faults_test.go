package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"github.com/sliced-wasserstein/lab/datasets/format"
	"github.com/sliced-wasserstein/lab/internal/durable/durabletest"
)

// TestEveryFault: whichever file operation of a call is the first to fail, on a full or read-only disk, by a quota, or because a folder
// is gone: every output holds its old content or its whole new one, nothing half-written is left, one line says what to do, numbers
// that were computed are printed, and the same call then works.
func TestEveryFault(t *testing.T) {
	dir := misuseFiles(t)
	t.Chdir(dir)
	anyClouds(t)
	for call, printed := range map[string]string{
		"distance --x x.npy --y y.npy --slices 4 --out-slices s.npy --out-grad g.npy --force":   `"value":`,
		"direction --amortizer l --x x.npy --y y.npy --out d.npy --force":                       `"parameters":`,
		"encode --run run --x x.npy --out z.npy --force":                                        `"shape":`,
		"plot sphere --kappa 5 --out sphere.html --force":                                       "",
		"plot clouds --x one.npy --out clouds.pdf --force":                                      "",
		"data sample tri.off --points 16 --out sampled":                                         "",
		"metrics --reference x.npy --generated y.npy --distances cd --backend go --store store": "",
		"data fetch shapenet-core55 --accept-licence --from . --cache cache":                    "",
	} {
		t.Run(strings.Join(strings.Fields(call)[:2], " "), func(t *testing.T) {
			fetches := strings.HasPrefix(call, "data fetch")
			fresh := func() {
				must.M(errors.Join(os.RemoveAll("sampled"), os.RemoveAll("store"), os.RemoveAll("cache")))
			}
			work := func() (string, error) { return executed(t, append(strings.Fields(call), "--format", "json")...) }
			fresh()
			if fetches {
				clouds := []float32{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2}
				must.M(format.WriteNPZ("shapenet57448xyzonly.npz", clouds, []int{2, 2, 3}, nil))
			}
			old := digests(t, dir)
			must.M1(work())
			whole := digests(t, dir)
			var said string
			durabletest.Every(t, func() (err error) { fresh(); said, err = work(); return err }, func(fault string, err error) {
				if err == nil || !durabletest.Explained(errors.New(oneLine(err))) {
					t.Errorf("%s: %v", fault, err)
				}
				if printed != "" && (!strings.Contains(said, printed) || strings.Contains(said, `.npy",`) || !strings.HasPrefix(err.Error(), "--out")) {
					t.Errorf("%s: %v, printed %s", fault, err, said)
				}
				for path, sum := range digests(t, dir) {
					name := filepath.Base(path)
					partial := strings.HasPrefix(path, "cache") // a partial download, which the next call uses
					if sum != whole[path] && sum != old[path] && !partial || strings.HasPrefix(name, ".") && name != "." && !partial {
						t.Errorf("%s left %s", fault, path)
					}
				}
				if _, err := work(); err != nil {
					t.Errorf("%s, then the same call: %v", fault, err)
				}
				if now := digests(t, dir); !fetches && !maps.Equal(now, whole) {
					t.Errorf("%s, then the same call: %v, expected %v", fault, now, whole)
				}
				fresh()
			})
		})
	}
}

// TestEveryFaultOfRuns: the same for a table and a sweep, of which the store may hold finished runs
// and checkpoints: the same call then ends with the result and the files of an undisturbed one.
func TestEveryFaultOfRuns(t *testing.T) {
	if os.Getenv("SWLAB_TEST_LONG") == "" {
		t.Skip("runs in make test-long")
	}
	data := folder(t)
	t.Chdir(t.TempDir())
	for _, call := range []string{
		"table run ablation_kappa --preset smoke --rows sw,la-v-dsw --set points=8 --set batch=5 --set epochs=1 --pictures pictures --force",
		"sweep --vary kappa=1,2 --loss v-dsw --amortizer l --steps 1 --points 8 --batch 5 --set slices=2 --plot sweep.png --force",
	} {
		t.Run(strings.Fields(call)[0], func(t *testing.T) {
			fresh := func() {
				must.M(errors.Join(os.RemoveAll("store"), os.RemoveAll("pictures"), os.RemoveAll("sweep.png")))
			}
			work := func() (said string, err error) {
				said, err = executed(t, append(strings.Fields(call), "--data", data, "--out", "store", "--backend", "go", "--format", "csv")...)
				timed := func(line string) bool { return strings.Contains(line, ",time,") }
				return strings.Join(slices.DeleteFunc(strings.Split(said, "\n"), timed), "\n"), err
			}
			names := func() []string { return slices.Sorted(maps.Keys(digests(t, "."))) }
			fresh()
			want := must.M1(work())
			whole := names()
			var said string
			durabletest.Every(t, func() (err error) { fresh(); said, err = work(); return err }, func(fault string, err error) {
				if err == nil || !durabletest.Explained(errors.New(oneLine(err))) {
					t.Errorf("%s: %v", fault, err)
				}
				if strings.HasPrefix(fmt.Sprint(err), "--plot") && !strings.Contains(said, "kappa") {
					t.Errorf("%s: no picture and no numbers: %s", fault, said)
				}
				if got, err := work(); err != nil || got != want {
					t.Errorf("%s, then the same call: %v\n%s\nexpected\n%s", fault, err, got, want)
				}
				if now := names(); !slices.Equal(now, whole) {
					t.Errorf("%s, then the same call left %v, expected %v", fault, now, whole)
				}
			})
		})
	}
}
