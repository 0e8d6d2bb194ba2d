package runs

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments/gap"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/latent"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/metric"
	"github.com/sliced-wasserstein/lab/swlab/train"
)

// TestGoldenHashes: tasks made of built-in losses, slicing distributions and amortizers have the
// hashes by which stores hold their results.
func TestGoldenHashes(t *testing.T) {
	data := Data{Path: datasets.Builtin, Content: datasets.ShapesVersion, Split: "train", Points: 512, Train: 40, Test: 8, Val: 0.2}
	training := func(set func(*train.Config)) Training {
		c := train.DefaultConfig()
		c.Batch, c.Epochs = 32, 30
		set(&c)
		r := NewTraining(data, c)
		val := data.Part("val")
		r.Validation = &val
		return r
	}
	la := training(func(c *train.Config) { c.Loss, c.Amortizer, c.Seed = "v-dsw", "la", 3 })
	ascent := training(func(c *train.Config) {
		c.Loss, c.AscentSteps, c.AscentLearningRate, c.AscentTangent = "max-sw", 50, 0.05, true
	})
	coded := Coded{Of: la, State: "best", Train: data, Test: data.Part("test")}
	generator := latent.DefaultGenerator()
	generator.Seed = 2
	quick := gap.Paper()
	quick.Pairs, quick.HeldOut = 20, 100
	gaps := append(gap.PaperRows(gap.Paper()), gap.OurRows(quick, 20)...)
	for i, c := range []struct {
		task Task
		want string
	}{
		{training(func(*train.Config) {}), "8f2abc28af217669"},
		{la, "6e53f19c157010be"},
		{ascent, "d619be80c31e6195"},
		{training(func(c *train.Config) { c.Loss, c.Slicing, c.Kappa = "v-dsw", "vmf", 10 }), "e1dcc7d657cd0421"},
		{training(func(c *train.Config) { c.Loss, c.Reduce = "chamfer", loss.Sum }), "c1e5c4ddf37eeb46"},
		{Scores{Of: la, State: "best", Data: data.Part("test"), Exact: true, Seed: 1}, "187b03c87d8843fe"},
		{Accuracy{coded, latent.DefaultClassifier(0)}, "2890ee0ec137197b"},
		{SVMAccuracy{coded, latent.DefaultSVM(0)}, "983d8a298825651e"},
		{Generation{Of: ascent, State: "best", Train: data, Test: data.Part("test"), Config: generator, Seed: 2, Distances: metric.PaperDistances()}, "5aeaa90c2f79b7f3"},
		{Gap{data, gaps[3]}, "a3bcb33fd1756f58"},
		{Gap{data, gaps[len(gaps)-1]}, "da51bdc6a256cbac"},
	} {
		if got := Hash(c.task)[:16]; got != c.want {
			t.Errorf("%d, %s %s: %s, want %s: results of earlier versions would not be found", i, c.task.Kind(), c.task.Name(), got, c.want)
		}
	}
}

// TestSourceOfTasks: the code of what is registered from outside is part of a task's hash, and of those
// of the tasks that need it.
func TestSourceOfTasks(t *testing.T) {
	loss.Register("own", loss.Entry{New: func(c loss.Config) (loss.Loss, error) { return loss.New("sw", c) }}, "1")
	amortizer.Register("own", amortizer.Entry{New: func(c amortizer.Config) amortizer.Amortizer {
		a, _ := amortizer.New("l", c)
		return a
	}}, "2")
	data := Data{Path: "a.npy", Content: "0123", Split: "train", Points: 64}
	c := train.DefaultConfig()
	c.Loss = "own"
	own := NewTraining(data, c)
	c.Loss, c.Amortizer = "v-dsw", "own"
	amortized := NewTraining(data, c)
	if own.Config.Source != "loss own version 1" || amortized.Config.Source != "amortizer own version 2" {
		t.Errorf("sources %q and %q", own.Config.Source, amortized.Config.Source)
	}
	without := own
	without.Config.Source = ""
	if Hash(own) == Hash(without) || Hash(Scores{Of: own}) == Hash(Scores{Of: without}) {
		t.Error("another code of the loss, and the same hash")
	}
	g := Gap{data, gap.Config{Method: "own"}}
	sum := sha256.Sum256([]byte("gap\n" + string(must.M1(json.Marshal(g))) + "amortizer own version 2"))
	if Hash(g) != hex.EncodeToString(sum[:]) {
		t.Error("the code of the amortizer is not part of its study")
	}
}
