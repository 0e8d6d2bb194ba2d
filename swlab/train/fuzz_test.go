package train

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// FuzzCheckpoint: whatever the two files of a checkpoint hold, they are read as the weights asked for, or not at all.
func FuzzCheckpoint(f *testing.F) {
	specs := []weights.Spec{{Name: "net/a", Shape: []int{2, 3}}, {Name: "psi/b", Shape: []int{1}}}
	dir := f.TempDir()
	must.M(os.Mkdir(filepath.Join(dir, checkpointDir), 0o755))
	must.M(saveCheckpoint(dir, checkpoint{progress: progress{Step: 3, LastLoss: 0.5}, tensors: weights.Init(specs, 1)}))
	all, err := listCheckpoints(dir)
	if err != nil || len(all) != 1 {
		f.Fatal(all, err)
	}
	state := must.M1(os.ReadFile(filepath.Join(all[0], stateFile)))
	tensors := must.M1(os.ReadFile(filepath.Join(all[0], tensorsFile)))
	must.M1(readCheckpoint(all[0], specs))
	f.Add(state, tensors)
	f.Add([]byte("{}"), tensors)
	f.Add([]byte(`{"step":-1}`), tensors[:len(tensors)-1])
	f.Fuzz(func(t *testing.T, state, tensors []byte) {
		for name, data := range map[string][]byte{stateFile: state, tensorsFile: tensors} {
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		c, err := readCheckpoint(dir, specs)
		if err != nil {
			return
		}
		for _, s := range specs {
			if v, ok := c.tensors.Get(s.Name); !ok || len(v.Data) != s.Size() {
				t.Errorf("%s is missing, or not of its size: %v", s.Name, v)
			}
		}
	})
}

// FuzzConfig: a configuration that can be read is written as one that reads the same.
func FuzzConfig(f *testing.F) {
	raw := must.M1(json.Marshal(DefaultConfig()))
	f.Add(raw)
	f.Add([]byte(`{"loss":"la-v-dsw","kappa":1e300,"lr":-1,"reflection":"stable","plain":["sort"]}`))
	f.Add([]byte(`{"turn":1,"reduce":"mean"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var c Config
		if json.Unmarshal(raw, &c) != nil {
			return
		}
		first, err := json.Marshal(c)
		if err != nil {
			return // a number that JSON cannot hold
		}
		var again Config
		if err := json.Unmarshal(first, &again); err != nil {
			t.Fatalf("%s cannot be read again: %v", first, err)
		}
		if second, err := json.Marshal(again); err != nil || !bytes.Equal(first, second) {
			t.Errorf("%s is read as %s, %v", first, second, err)
		}
	})
}

// FuzzLog: a log is read as at most one record per line, or is an error; with the SHA-256 of its
// lines in the result it is read as the same, with another not at all.
func FuzzLog(f *testing.F) {
	f.Add([]byte("{\"step\":1,\"epoch\":0,\"loss\":2.5,\"turn\":3,\"seconds\":0.1}\n{\"step\":2"))
	f.Add([]byte("\n\n{}\n"))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, raw []byte) {
		if err := os.WriteFile(filepath.Join(dir, logFile), raw, 0o600); err != nil {
			t.Fatal(err)
		}
		records, lines, err := readLog(dir, math.MaxInt, "")
		if err != nil {
			return
		}
		if n := bytes.Count(raw, []byte("\n")) + 1; len(records) > n || !bytes.HasPrefix(raw, lines) {
			t.Errorf("%d records of %d lines", len(records), n)
		}
		if again, _, err := readLog(dir, len(records), sumOf(lines)); err != nil && len(records) > 0 ||
			len(again) != len(records) {
			t.Errorf("with its SHA-256: %d records of %d, %v", len(again), len(records), err)
		}
		if _, _, err := readLog(dir, math.MaxInt, sumOf(append(lines, ' '))); err == nil {
			t.Error("read with the SHA-256 of another log")
		}
	})
}
