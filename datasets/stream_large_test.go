package datasets

import (
	"archive/zip"
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestShapeNetSize opens files as large as ShapeNet Core-55, 57,448 clouds of 2048 points, 1.4 GB,
// and reads from them in the order of an epoch. It writes 4 GB and runs only if SWLAB_LARGE is set.
func TestShapeNetSize(t *testing.T) {
	if os.Getenv("SWLAB_LARGE") == "" || testing.Short() {
		t.Skip("writes 4 GB: set SWLAB_LARGE=1 to run it")
	}
	const n, m, batch = 57448, 2048, 128
	dir := t.TempDir()
	for _, c := range []struct {
		name   string
		method uint16
		opens  time.Duration // allowed for the first and for later openings with the first batch
		again  time.Duration
	}{{"stored", zip.Store, 3 * time.Second, 3 * time.Second}, {"packed", zip.Deflate, time.Minute, 3 * time.Second}} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(dir, c.name+".npz")
			writeLarge(t, path, c.method, n, m)
			order := Batches(EpochOrder(n, 1, 0), batch)
			clouds := make([]float32, batch*m*3)
			debug.FreeOSMemory()
			before := resident(t, "VmRSS")
			for i, most := range []time.Duration{c.opens, c.again} {
				began := time.Now()
				s, err := Open(path, OpenOptions{Unpacked: filepath.Join(dir, "unpacked")})
				if err != nil {
					t.Fatal(err)
				}
				if err := s.Read(clouds, order[0]); err != nil {
					t.Fatal(err)
				}
				took := time.Since(began)
				t.Logf("opening %d with the first batch: %.3f s, %d MB more resident", i+1, took.Seconds(), resident(t, "VmRSS")-before)
				if took > most {
					t.Errorf("opening %d took %v, expected at most %v", i+1, took, most)
				}
				if i == 0 {
					continue
				}
				began = time.Now()
				steps := 0
				for _, err := range Ahead(s, slices.Values(order)) {
					if err != nil {
						t.Fatal(err)
					}
					steps++
				}
				t.Logf("an epoch of %d batches: %.2f s", steps, time.Since(began).Seconds())
				began = time.Now()
				if _, err := s.Digest(); err != nil {
					t.Fatal(err)
				}
				t.Logf("digest: %.2f s", time.Since(began).Seconds())
				if err := s.(*Stream).Close(); err != nil {
					t.Fatal(err)
				}
			}
			peak := resident(t, "VmHWM")
			t.Logf("peak: %d MB, %d before", peak, before)
			if peak-before > 400 {
				t.Errorf("%d MB more at the peak, expected at most 400", peak-before)
			}
		})
	}
}

// writeLarge writes an archive of n clouds of m points without holding them: few of the points
// differ between clouds.
func writeLarge(t *testing.T, path string, method uint16, n, m int) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := bufio.NewWriterSize(f, 1<<20)
	z := zip.NewWriter(b)
	w, err := z.CreateHeader(&zip.FileHeader{Name: "data.npy", Method: method})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, npyHeaderText("<f4", []int{n, m, 3})); err != nil {
		t.Fatal(err)
	}
	cloud := floatNPY("()", randomSet(1, m, 3, 1).Coords...)
	cloud = cloud[len(cloud)-12*m:]
	for i := range n {
		cloud[4*(i%(3*m))]++
		if _, err := w.Write(cloud); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := b.Flush(); err != nil {
		t.Fatal(err)
	}
}

// resident returns a memory figure of the process in MB.
func resident(t *testing.T, name string) int {
	t.Helper()
	raw, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip(err)
	}
	for line := range strings.Lines(string(raw)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			kb, err := strconv.Atoi(strings.Fields(rest)[0])
			if err != nil {
				t.Fatal(err)
			}
			return kb >> 10
		}
	}
	t.Fatal(fmt.Errorf("no %s in /proc/self/status", name))
	return 0
}
