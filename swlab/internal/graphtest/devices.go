package graphtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// child is set in the processes that Dump starts; XLA reads only once where to write its programs.
const child = "SWLAB_GRAPHTEST_CHILD"

// InDump reports whether Dump has started this process.
func InDump() bool { return os.Getenv(child) != "" }

// Dump runs the current test again in its own process, where InDump is true and the backend has
// that many devices, and returns the folder of the programs that XLA compiled there. XLA's CPU
// plugin has four devices. The test is skipped if there are fewer.
func Dump(t *testing.T, devices int) (folder string) {
	t.Helper()
	if n := Engine(t).Devices(); n < devices {
		t.Skipf("the backend has %d devices", n)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	folder = t.TempDir()
	cmd := exec.Command(exe, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), child+"=1", "XLA_FLAGS=--xla_dump_to="+folder+" --xla_dump_hlo_as_text")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
	return folder
}

var (
	collective = regexp.MustCompile(`(?m)^.* = (.*?) ((?:all|ragged-all|reduce-scatter|collective|send|recv)[a-z-]*)\(`)
	dimensions = regexp.MustCompile(`\[([0-9,]*)\]`)
)

// Exchanged reads the programs for that many devices in a Dump. It returns their number and that of
// their all-reduces of arrays whose size factor does not divide; everything else that devices
// exchange is an error. With a factor of the batch that no other size has, nothing exchanged grows
// with the batch.
func Exchanged(t *testing.T, folder string, devices, factor int) (programs, sums int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*after_optimizations.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(raw), "num_partitions="+strconv.Itoa(devices)) {
			continue
		}
		programs++
		for _, m := range collective.FindAllStringSubmatch(string(raw), -1) {
			sums++
			if !strings.HasPrefix(m[2], "all-reduce") {
				t.Errorf("%s: %s of %s", filepath.Base(file), m[2], m[1])
			}
			for _, shape := range dimensions.FindAllStringSubmatch(m[1], -1) {
				if size(t, shape[1])%factor == 0 {
					t.Errorf("%s: %s of %s, which grows with the batch", filepath.Base(file), m[2], m[1])
				}
			}
		}
	}
	return programs, sums
}

// size is the number of elements of an array with those dimensions, as in "20,13,3".
func size(t *testing.T, shape string) int {
	t.Helper()
	n := 1
	for d := range strings.SplitSeq(shape, ",") {
		if d == "" {
			continue
		}
		v, err := strconv.Atoi(d)
		if err != nil {
			t.Fatal(err)
		}
		n *= v
	}
	return n
}
