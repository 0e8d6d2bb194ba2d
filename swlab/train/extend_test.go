package train

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

// TestExtendedRun: a finished run that is made longer ends with the log, the weights and the
// configuration of one that was that long from the beginning, bit for bit, whether it had ended
// with an epoch or within one.
func TestExtendedRun(t *testing.T) {
	first, longer := func(c *Config) { c.Epochs = 1 }, func(c *Config) { c.Epochs = 2 }
	moment := config("v-dsw", "l") // Adam keeps a first moment
	moment.AmortizerBeta1 = 0.5
	for name, x := range map[string]struct {
		c             Config
		first, longer func(*Config)
	}{
		"epochs":          {config("v-dsw", "la"), first, longer},
		"first moment":    {moment, first, longer},
		"ascent":          {config("v-dsw", ""), first, longer},
		"within an epoch": {config("sw", ""), func(c *Config) { c.Steps = 2 }, func(c *Config) { c.Steps = 4 }},
		"bound taken away": {config("chamfer", ""), func(c *Config) { c.Epochs, c.Steps = 1, 0 },
			func(c *Config) { c.Epochs = 1 }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := x.c
			x.longer(&whole)
			want, wholeDir := finished(t, goBackend(t), whole, Options{})
			short := x.c
			x.first(&short)
			before, dir := finished(t, goBackend(t), short, Options{})
			got, _ := finished(t, goBackend(t), whole, Options{Out: dir, Resume: true})
			if before.Steps >= got.Steps || got.Steps != want.Steps || got.BestEpoch != want.BestEpoch ||
				got.BestLoss != want.BestLoss {
				t.Errorf("after %d steps extended to %+v, at once %+v", before.Steps, got, want)
			}
			files := []string{configFile, weightsFile, bestFile}
			if whole.Amortizer != "" {
				files = append(files, amortizerFile)
			}
			sameRuns(t, dir, wholeDir, files...)
		})
	}
}

// TestCutOffExtension: a run that is cut off while it is made longer is an unfinished one of the new length.
func TestCutOffExtension(t *testing.T) {
	c := config("sw", "")
	c.Epochs = 1
	_, dir := finished(t, goBackend(t), c, Options{})
	c.Epochs = 2
	_, whole := finished(t, goBackend(t), c, Options{})
	cutOff(t, goBackend(t), boxes(12, 32), c, 4, Options{Out: dir, Resume: true})
	if _, err := ReadResult(dir); err == nil {
		t.Error("an unfinished run has a result")
	}
	if now, err := ReadConfig(dir); err != nil || now.Epochs != 2 {
		t.Errorf("configuration of %d epochs, %v", now.Epochs, err)
	}
	finished(t, goBackend(t), c, Options{Out: dir, Resume: true})
	sameRuns(t, dir, whole, weightsFile)
}

// TestNotExtended: what cannot be made longer says why, and stays as it is.
func TestNotExtended(t *testing.T) {
	c := config("sw", "")
	c.Epochs = 2
	_, taken := finished(t, goBackend(t), c, Options{})
	_, bare := finished(t, goBackend(t), c, Options{})
	must.M(os.RemoveAll(filepath.Join(bare, checkpointDir)))
	for name, x := range map[string]struct {
		dir    string
		change func(*Config)
		says   []string
	}{
		"fewer than done": {taken, func(c *Config) { c.Epochs = 1 },
			[]string{"has done 6 steps", "found a length of 3", "epochs: 1, the run has 2"}},
		"fewer steps": {taken, func(c *Config) { c.Steps = 5 }, []string{"has done 6 steps", "found a length of 5"}},
		"other settings": {taken, func(c *Config) { c.Epochs, c.Slices, c.LearningRate, c.Momentum = 4, 9, 0.1, 0.5 },
			[]string{"another run", "slices: 9, the run has 8", "momentum: 0.5, the run has 0.9",
				"learning_rate: 0.1, the run has 0.001"}},
		"no longer at all": {taken, func(c *Config) { c.Steps = 6 }, []string{"ends after 6 steps all the same", "steps"}},
		"no checkpoints": {bare, func(c *Config) { c.Epochs = 4 },
			[]string{"checkpoints have been removed", "another folder"}},
	} {
		t.Run(name, func(t *testing.T) {
			longer := c
			x.change(&longer)
			_, err := Run(context.Background(), goBackend(t), boxes(12, 32), longer, Options{Out: x.dir, Resume: true})
			if !errors.As(err, new(UsageError)) {
				t.Fatalf("%v, expected a wrong call", err)
			}
			refused(t, x.says...)(err)
			if now, err := ReadConfig(x.dir); err != nil || now.Epochs != 2 || now.Steps != -1 {
				t.Errorf("configuration %+v, %v", now, err)
			}
			must.M1(ReadResult(x.dir))
		})
	}
}

// TestFit: what a configuration leaves to the data is in the configuration that is written.
func TestFit(t *testing.T) {
	c := config("chamfer", "")
	c.Points, c.Batch, c.Steps = 0, 0, 1
	_, dir := finished(t, goBackend(t), c, Options{})
	if now, err := ReadConfig(dir); err != nil || now.Points != 32 || now.Batch != 12 {
		t.Errorf("%d points, batch %d, %v", now.Points, now.Batch, err)
	}
	if big := c.Fit(boxes(130, 2)); big.Batch != 128 || big.Points != 2 {
		t.Errorf("130 clouds: %+v", big)
	}
	_, err := Run(context.Background(), goBackend(t), boxes(1, 32), c, Options{Out: filepath.Join(t.TempDir(), "run")})
	if !errors.As(err, new(UsageError)) || !strings.Contains(err.Error(), "at least 2 clouds") {
		t.Errorf("one cloud: %v", err)
	}
}

// TestConfigBytes: the optimizers' settings are left out of JSON at their defaults, so that
// configurations have the bytes, and so the hashes, that they had before; other values, 0 included,
// are written and read.
func TestConfigBytes(t *testing.T) {
	const standard = `{"data":"builtin","points":2048,"clouds":0,"data_hash":"","batch":128,"epochs":301,"steps":-1,"seed":1,"loss":"sw","slices":0,"kappa":1,"chain":10,"control":"upper","epsilon":0.5,"p":0,"reg":0.01,"ascent_steps":50,"ascent_rate":0.0001,"reflection":"released","dk":64,"k":64,"variant":"released","backend":""}`
	const small = `{"data":"boxes","points":32,"clouds":12,"data_hash":"2fa61e158d17","batch":5,"epochs":3,"steps":-1,"seed":1,"loss":"v-dsw","slices":8,"kappa":1,"chain":10,"control":"upper","epsilon":0.5,"p":2,"reg":0.01,"ascent_steps":2,"ascent_rate":0.0001,"amortizer":"la","reflection":"released","dk":8,"k":8,"variant":"released","backend":""}`
	for want, c := range map[string]Config{standard: DefaultConfig(), small: config("v-dsw", "la").On(boxes(12, 32))} {
		raw, err := json.Marshal(c)
		if err != nil || string(raw) != want {
			t.Errorf("%s\n%s\n%v", raw, want, err)
		}
		var back Config
		if err := json.Unmarshal([]byte(want), &back); err != nil || len(back.Differences(c)) > 0 {
			t.Errorf("read again: %v, %v", back.Differences(c), err)
		}
	}
	c := DefaultConfig()
	c.LearningRate, c.Momentum, c.WeightDecay, c.AmortizerLearningRate, c.AmortizerBeta1, c.AmortizerBeta2,
		c.AmortizerSteps = 0.5, 0, 0, 2e-3, 0.5, 0, 3
	raw, err := json.Marshal(c)
	added := `,"learning_rate":0.5,"momentum":0,"weight_decay":0,"amortizer_learning_rate":0.002,"amortizer_beta1":0.5,"amortizer_beta2":0,"amortizer_steps":3}`
	if err != nil || string(raw) != strings.TrimSuffix(standard, "}")+added {
		t.Errorf("%s, %v", raw, err)
	}
	var back Config
	if err := json.Unmarshal(raw, &back); err != nil || len(back.Differences(c)) > 0 {
		t.Errorf("read again: %v, %v", back.Differences(c), err)
	}
}
