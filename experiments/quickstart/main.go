// Command quickstart is what `make run` runs: a distance with its error, a minute of training, pictures, and summary.json
// with the scores, in $SWLAB_OUT. $SWLAB_DATA names clouds in place of the built-in shapes, FAST=1 asks for a few steps.
package main

import (
	"fmt"
	"os"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments"
	"github.com/sliced-wasserstein/lab/experiments/notebook"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/train"
	"github.com/sliced-wasserstein/lab/swlab/weights"
	"github.com/sliced-wasserstein/lab/vmfviz"
	"github.com/sliced-wasserstein/lab/vmfviz/show"
)

func main() {
	session := show.Must(notebook.Open("quickstart"))
	trainSet, testSet, err := session.Clouds(session.Size(512, 128), 1)
	show.Check(err)
	distance(session, testSet)
	training(session, trainSet, testSet)
}

// distance compares two test clouds.
func distance(session *notebook.Session, testSet *datasets.Set) {
	x, y := testSet.Select([]int{0}), testSet.Select([]int{testSet.Clouds / 2})
	o := swlab.DistanceConfig{Config: loss.Defaults(), Seed: 1}
	o.Slices, o.Reduce = 1000, loss.Mean
	d := show.Must(swlab.Distance("sw", x, y, o))
	fmt.Fprintf(os.Stderr, "SW² of two test clouds: %.5f ± %.5f (mean over points), from %d directions\n", d.Value, d.StdErr, d.Slices)
	if x.Dim == 3 {
		values := show.Must(experiments.SliceCosts(x, y, d.Directions))
		p, err := vmfviz.Slice(vmfviz.SliceOptions{Convention: vmfviz.MeanOverPoints, StdErr: d.StdErr}, x.Coords, y.Coords, d.Directions[:3], values)
		session.Picture("1_slice", p, err)
	}
}

// training trains an autoencoder with LA v-DSW, and scores and draws its reconstructions before and after.
func training(session *notebook.Session, trainSet, testSet *datasets.Set) {
	c := train.DefaultConfig()
	c.Loss, c.Amortizer, c.Points = "v-dsw", "la", trainSet.Points
	c.Batch = min(32, trainSet.Clouds)
	c.Steps, c.Epochs = session.Size(250, 12), 250
	e := show.Must(session.Backend())
	run := show.Must(session.Train(e, trainSet, c)).Run
	rows, names := notebook.OnePerClass(testSet, 7)
	some := testSet.Select(rows)
	pictured := []vmfviz.CloudRow{{Caption: "input", Clouds: must.M1(vmfviz.Split(some.Coords, some.Clouds))}}
	var scores [2]experiments.Scores
	for i, w := range []*weights.Set{show.Must(c.Start()), show.Must(weights.ReadSafetensors(show.Must(train.WeightsFile(run, "last"))))} {
		scores[i] = show.Must(experiments.Evaluate(e, show.Must(pointnet.New(testSet.Points)), w, testSet, experiments.EvaluateOptions{Seed: 1}))
		y := show.Must(show.Must(swlab.NewNetwork(w)).Reconstruct(some, swlab.NetworkOptions{Engine: e}))
		row := vmfviz.CloudRow{Caption: []string{"before", "after"}[i], Clouds: must.M1(vmfviz.Split(y, some.Clouds))}
		pictured = append(pictured, row)
	}
	last := pictured[2] // once more, each point in the colour of its distance to the input
	last.Caption, last.Errors = "after: error", true
	p, err := vmfviz.Clouds(vmfviz.CloudsOptions{Columns: names}, append(pictured, last)...)
	session.Picture("2_reconstructions", p, err)
	show.Check(session.Summary("LA v-DSW", scores[0], scores[1]))
}
