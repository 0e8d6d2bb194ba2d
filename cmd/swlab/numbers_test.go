package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/cpu"

	"github.com/janpfeifer/must"
	"github.com/sliced-wasserstein/lab/datasets/format"
)

var record = flag.Bool("record", false, "write testdata/numbers.json anew in place of comparing with it")

const numbersFile = "testdata/numbers.json"

// recordedNumbers are numbers as printed, by what was computed. They hold for one kind of
// processor: its vector instructions decide the order of sums, and XLA compiles for the model.
type recordedNumbers struct {
	Features string              `json:"features"`
	Model    string              `json:"model"`
	Numbers  map[string][]string `json:"numbers"`
}

// TestNumbers compares seeded results with recorded ones to the last digit: twenty distances, 20
// steps of five losses (on XLA of two) with their weights' hash and evaluation, and one table. The short
// form has the distances and one of the losses. A change that intends to move a number records them
// again (-record) and says so.
func TestNumbers(t *testing.T) {
	var want recordedNumbers
	if raw, err := os.ReadFile(numbersFile); err == nil {
		must.M(json.Unmarshal(raw, &want))
	} else if !*record {
		t.Fatal(err)
	}
	features, model := processor()
	if !*record && want.Features != features {
		t.Skipf("recorded on %q, this processor has %q: the last digits differ", want.Features, features)
	}
	backends := []string{"go"}
	switch {
	case testing.Short():
	case !*record && want.Model != model:
		t.Logf("not compared on XLA: recorded on %q, this is %q", want.Model, model)
	default:
		backends = append(backends, "xla:cpu")
	}
	got := map[string][]string{}
	distanceNumbers(t, got)
	for _, backend := range backends {
		trainingNumbers(t, backend, got)
	}
	if !testing.Short() {
		tableNumbers(t, got)
	}
	if *record {
		raw := must.M1(json.MarshalIndent(recordedNumbers{features, model, got}, "", " "))
		must.M(os.WriteFile(numbersFile, append(raw, '\n'), 0o644))
	}
	for what, numbers := range got {
		if !*record && !slices.Equal(numbers, want.Numbers[what]) {
			t.Errorf("%s: %v, recorded %v", what, numbers, want.Numbers[what])
		}
	}
}

// distanceNumbers returns the values of every loss, in up to three forms, and two gradients.
func distanceNumbers(t *testing.T, got map[string][]string) {
	dir := misuseInputs(t)
	for _, call := range []string{
		"sw", "sw --reduce mean --root", "sw --p 1", "sw --slicing orthogonal", "orthogonal-sw", "qmc-sw", "markov-sw", "rp-sw", "asw", "eb-sw", "cv-sw",
		"max-sw --ascent-steps 5", "v-dsw --ascent-steps 5", "v-dsw --amortizer la", "v-dsw --amortizer ea --kappa 10",
		"chamfer", "emd-approx", "emd-exact", "sinkhorn", "sinkhorn-divergence",
	} {
		grad := filepath.Join(dir, "grad.npy")
		args := append([]string{"distance", "--x", filepath.Join(dir, "x.npy"), "--y", filepath.Join(dir, "y.npy"), "--backend", "go", "--loss"}, strings.Fields(call)...)
		switch strings.Fields(call)[0] {
		case "chamfer", "emd-approx", "emd-exact", "sinkhorn", "sinkhorn-divergence":
		default:
			args = append(args, "--path", "host") // equal on every machine
		}
		if call == "sw" || call == "chamfer" {
			args = append(args, "--out-grad", grad)
		}
		numbers := printed(t, args, "value", "per_pair", "stderr")
		if g, _, err := format.ReadNPY(grad); err == nil {
			numbers = append(numbers, fmt.Sprint(g[0], g[100], g[len(g)-1]))
			must.M(os.Remove(grad))
		}
		got["distance "+call] = numbers
	}
}

// trainingNumbers returns the last loss, the hash of the weights and the scores of 20 steps.
func trainingNumbers(t *testing.T, backend string, got map[string][]string) {
	losses := []string{"sw", "v-dsw --amortizer la --dk 16 --k 16", "max-sw --ascent-steps 3", "chamfer", "emd-approx"}
	switch {
	case testing.Short():
		losses = losses[:1]
	case backend != "go" && !*record:
		losses = losses[:2]
	}
	for _, loss := range losses {
		out := filepath.Join(t.TempDir(), "run")
		args := append([]string{"train", "--data", "builtin", "--points", "32", "--batch", "8", "--steps", "20", "--slices", "10", "--backend", backend, "--out", out, "--loss"}, strings.Fields(loss)...)
		if strings.HasPrefix(loss, "max-sw") || loss == "chamfer" || loss == "emd-approx" {
			args = slices.DeleteFunc(args, func(s string) bool { return s == "--slices" || s == "10" })
		}
		numbers := printed(t, args, "loss")
		sum := sha256.Sum256(withoutChecksum(t, must.M1(os.ReadFile(filepath.Join(out, "weights.safetensors")))))
		numbers = append(numbers, hex.EncodeToString(sum[:]))
		numbers = append(numbers, printed(t, []string{"evaluate", "--run", out, "--backend", backend, "--exact-emd=false"}, "cd", "sw", "emd_approx")...)
		got[backend+" train "+loss] = numbers
	}
}

// tableNumbers returns the rows of a table, without its times.
func tableNumbers(t *testing.T, got map[string][]string) {
	got["table ablation_kappa"] = printed(t, []string{"table", "run", "ablation_kappa", "--preset", "smoke", "--backend", "go", "--out", t.TempDir()}, "rows")
}

// printed runs a call and returns some keys of its answer as printed.
func printed(t *testing.T, args []string, keys ...string) (out []string) {
	t.Helper()
	args = append(args, "--format", "json")
	var stdout string
	if slices.Contains(args, "xla:cpu") { // what other tests set would change its last digits
		cmd := process(args...)
		cmd.Env = append(cmd.Env, "XLA_FLAGS=") // which the preset smoke sets
		stdout = string(must.M1(cmd.Output()))
	} else if code, text, stderr := command(t, args...); code == 0 {
		stdout = text
	} else {
		t.Fatalf("%v: exit code %d: %s", args, code, stderr)
	}
	var answer map[string]json.RawMessage
	must.M(json.Unmarshal([]byte(stdout), &answer))
	for _, k := range keys {
		var text bytes.Buffer
		must.M(json.Compact(&text, answer[k]))
		if k != "rows" {
			out = append(out, k+" "+text.String())
			continue
		}
		var rows []struct {
			ID     string
			Values map[string]struct{ Values []json.Number }
		}
		must.M(json.Unmarshal(text.Bytes(), &rows))
		for _, r := range rows {
			for _, column := range []string{"cd", "sw", "emd", "emd_exact", "cd_last", "sw_last", "emd_last"} {
				out = append(out, fmt.Sprint(r.ID, " ", column, " ", r.Values[column].Values))
			}
		}
	}
	return out
}

// processor names what the last digits depend on.
func processor() (features, model string) {
	features = fmt.Sprintf("%s avx2=%t fma=%t avx512=%t", runtime.GOARCH, cpu.X86.HasAVX2, cpu.X86.HasFMA, cpu.X86.HasAVX512F)
	// Elsewhere the model stays unknown, and XLA is not compared.
	raw, _ := os.ReadFile("/proc/cpuinfo")
	values := map[string]string{}
	for line := range strings.Lines(string(raw)) {
		if name, value, ok := strings.Cut(line, ":"); ok {
			values[strings.TrimSpace(name)] = strings.TrimSpace(value)
		}
	}
	if family, number := values["cpu family"], values["model"]; number != "" {
		return features, fmt.Sprintf("%s family %s model %s", values["vendor_id"], family, number)
	}
	return features, "unknown"
}

// withoutChecksum is a safetensors file without the checksum in its header, as the first version
// wrote it: the recorded hashes are of such files.
func withoutChecksum(t *testing.T, raw []byte) []byte {
	t.Helper()
	n := binary.LittleEndian.Uint64(raw)
	header := regexp.MustCompile(`"__metadata__":\{"sha256":"[0-9a-f]{64}"\},`).ReplaceAll(bytes.TrimRight(raw[8:8+n], " "), nil)
	for len(header)%8 != 0 {
		header = append(header, ' ')
	}
	if uint64(len(header)) >= n {
		t.Error("the weights have no checksum")
	}
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(out, header...), raw[8+n:]...)
}
