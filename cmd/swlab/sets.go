package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/datasets/format"
	"github.com/sliced-wasserstein/lab/swlab/sets"
	"github.com/sliced-wasserstein/lab/vmfviz"
)

// embedded are the clouds of a set along directions that they share.
type embedded struct {
	*common
	Set string `arg:"SET" need:"x" unit:"FILE|DIR" reads:"clouds" help:"clouds: a file, a folder, or builtin"`
	sampling
	sets.Config
	Given         string `flag:"directions" unit:"FILE" reads:"file" group:"Directions" help:".npy file with [L,d] directions, used as given"`
	OutDirections string `flag:"out-directions" unit:"FILE" writes:".npy" group:"Output" help:"write the directions, [L,d] float64"`
}

// embed reads the clouds and makes their vectors, relative to a point among them if their distances alone
// count.
func (v *embedded) embed(distances bool) (*datasets.Set, *sets.Embedding, error) {
	set, err := v.exact(v.Set, v.sampling, v.common.Seed)
	if err != nil {
		return nil, nil, err
	}
	v.Config.Seed = v.common.Seed
	if distances {
		v.Origin = sets.Centre(set)
	}
	if v.Config.Directions, err = readDirections(v.Given, set.Dim); err != nil {
		return nil, nil, err
	}
	bytes, err := v.Bytes(set)
	if err != nil {
		return nil, nil, usageError(err)
	}
	fmt.Fprintf(os.Stderr, "swlab: vectors of %d bytes (8 q L) for each of %d clouds, %.3g MB\n", bytes, set.Clouds, float64(bytes)*float64(set.Clouds)/1e6)
	e, err := sets.Embed(set, v.Config)
	return set, e, err
}

// setAnswer is the answer of a call on a whole set.
type setAnswer struct {
	Shape     []int    `json:"shape"`
	Slices    int      `json:"slices"`
	Quantiles int      `json:"quantiles"`
	Seed      uint64   `json:"seed"`
	Out       saved    `json:"out"`
	Inertia   *float64 `json:"inertia,omitempty"`
	Sizes     []int    `json:"sizes,omitempty"`
	what      string
}

func (a setAnswer) String() string {
	rows := [][2]string{a.Out.row(fmt.Sprintf("%s, %v", a.what, a.Shape)), {"slices, quantiles", fmt.Sprintf("%d, %d", a.Slices, a.Quantiles)}}
	if a.Sizes != nil {
		rows = append(rows, [2]string{"clouds in each", fmt.Sprint(a.Sizes)}, [2]string{"inertia", fmt.Sprintf("%.6g", *a.Inertia)})
	}
	return lines(rows...)
}

// answer saves the result and prints the answer. more says what else was saved.
func (v *embedded) answer(e *sets.Embedding, a setAnswer, out string, write func(string) error, more ...saved) error {
	a.Slices, a.Quantiles, a.Seed, a.Out = e.Slices, e.Quantiles, v.common.Seed, save("out", out, write)
	if v.OutDirections != "" {
		more = append(more, saveFloat64("out-directions", v.OutDirections, e.Directions, e.Slices, len(e.Directions)/e.Slices))
	}
	err := errors.Join(v.print(a), a.Out.err)
	for _, s := range more {
		err = errors.Join(err, s.err)
	}
	return err
}

// saveFloat64 saves an array of float64.
func saveFloat64(flag, path string, values []float64, shape ...int) saved {
	return save(flag, path, func(path string) error { return format.WriteNPYFloat64(path, values, shape...) })
}

type embedCall struct {
	embedded
	Out string `flag:"out" need:"x" unit:"FILE" writes:".npy" group:"Output" help:"write the vectors, [clouds, q L] float64"`
}

func newEmbed(c *common) *cobra.Command {
	cmd := c.command("embed SET --out FILE", "Make a vector of every cloud, whose Euclidean distances are sliced Wasserstein distances",
		"swlab embed clouds.npy --slices 50 --out vectors.npy\nswlab embed clouds.npy --quantiles 16 --out vectors.npy", &embedCall{embedded: embedded{common: c}})
	cmd.Long = "The vector of a cloud holds its sorted projections on L directions, divided by the root of their number. The Euclidean distance of\n" +
		"two vectors is SW2 along these directions, with the root and as a mean over points. With --quantiles it is a lower bound."
	return cmd
}

func (v *embedCall) run() error {
	_, e, err := v.embed(false)
	if err != nil {
		return err
	}
	shape := []int{e.Clouds, e.Size}
	return v.answer(e, setAnswer{Shape: shape, what: "vectors"}, v.Out,
		func(path string) error { return format.WriteNPYFloat64(path, e.Vectors, shape...) })
}

type pairwiseCall struct {
	embedded
	Kernel  float64 `flag:"kernel" range:">0.." unset:"0" help:"write exp(-SW2^2 / (2 S^2)) for this S in place of SW2 (default: SW2)"`
	Out     string  `flag:"out" need:"x" unit:"FILE" writes:".npy" group:"Output" help:"write the matrix, [clouds, clouds] float64"`
	Picture string  `flag:"picture" unit:"FILE" writes:".png .svg .pdf" group:"Output" help:"draw the matrix, clouds sorted by class: .png, .svg or .pdf"`
}

func newPairwise(c *common) *cobra.Command {
	return c.command("pairwise SET --out FILE", "Compute the sliced Wasserstein distance of all pairs of clouds of a set, or a kernel of it",
		"swlab pairwise clouds.npy --out distances.npy --picture distances.png\nswlab pairwise clouds.npy --kernel 0.5 --out kernel.npy", &pairwiseCall{embedded: embedded{common: c}})
}

func (v *pairwiseCall) run() error {
	set, e, err := v.embed(true)
	if err != nil {
		return err
	}
	matrix, err := e.Distances()
	if err != nil {
		return err
	}
	what, label := "distances", "SW₂"
	if v.Kernel > 0 {
		what, label = "kernel", "exp(-SW₂² / (2 S²))"
		if matrix, err = sets.Kernel(matrix, v.Kernel); err != nil {
			return err
		}
	}
	var more []saved
	if v.Picture != "" {
		picture, err := vmfviz.Matrix(matrixOptions(set, label), matrix)
		if err != nil {
			return err
		}
		more = append(more, save("picture", v.Picture, picture.Save))
	}
	shape := []int{e.Clouds, e.Clouds}
	return v.answer(e, setAnswer{Shape: shape, what: what}, v.Out,
		func(path string) error { return format.WriteNPYFloat64(path, matrix, shape...) }, more...)
}

// matrixOptions are those of a picture with the classes of a set.
func matrixOptions(set *datasets.Set, label string) vmfviz.MatrixOptions {
	o := vmfviz.MatrixOptions{Title: fmt.Sprintf("%d clouds", set.Clouds), Label: label, Names: set.Classes}
	for _, l := range set.Labels {
		o.Groups = append(o.Groups, int(l))
	}
	return o
}

type neighboursCall struct {
	embedded
	K            int    `flag:"k" need:"x" range:"1.." help:"neighbours of every cloud"`
	Out          string `flag:"out" need:"x" unit:"FILE" writes:".npy" group:"Output" help:"write the numbers of the nearest other clouds, nearest first, [clouds, k] int32"`
	OutDistances string `flag:"out-distances" unit:"FILE" writes:".npy" group:"Output" help:"write their distances, [clouds, k] float64"`
}

func newNeighbours(c *common) *cobra.Command {
	cmd := c.command("neighbours SET --k K --out FILE", "Find the nearest other clouds of every cloud of a set", "swlab neighbours clouds.npy --k 5 --quantiles 16 --out nearest.npy",
		&neighboursCall{embedded: embedded{common: c}})
	cmd.Aliases = []string{"neighbors"}
	return cmd
}

func (v *neighboursCall) run() error {
	_, e, err := v.embed(true)
	if err != nil {
		return err
	}
	rows, distances, err := e.Neighbours(v.K)
	if err != nil {
		return usageError(err)
	}
	var more []saved
	if v.OutDistances != "" {
		more = append(more, saveFloat64("out-distances", v.OutDistances, distances, e.Clouds, v.K))
	}
	shape := []int{e.Clouds, v.K}
	return v.answer(e, setAnswer{Shape: shape, what: "nearest clouds"}, v.Out,
		func(path string) error { return format.WriteNPYInts(path, rows, shape...) }, more...)
}

type clusterCall struct {
	embedded
	K      int    `flag:"k" need:"x" range:"1.." help:"number of clusters"`
	Starts int    `flag:"starts" range:"1.." unset:"0" help:"independent starts of k-means, of which the best counts (default 10)"`
	Out    string `flag:"out" need:"x" unit:"FILE" writes:".npy" group:"Output" help:"write the cluster of every cloud, [clouds] int32"`
}

func newCluster(c *common) *cobra.Command {
	return c.command("cluster SET --k K --out FILE", "Divide the clouds of a set into clusters: k-means in the sliced Wasserstein distance",
		"swlab cluster clouds.npy --k 10 --out clusters.npy", &clusterCall{embedded: embedded{common: c}})
}

func (v *clusterCall) run() error {
	_, e, err := v.embed(true)
	if err != nil {
		return err
	}
	found, err := e.Cluster(sets.ClusterConfig{K: v.K, Starts: cmp.Or(v.Starts, 10), Seed: v.common.Seed})
	if err != nil {
		return usageError(err)
	}
	return v.answer(e, setAnswer{Shape: []int{e.Clouds}, Inertia: &found.Inertia, Sizes: found.Sizes, what: "clusters"}, v.Out,
		func(path string) error { return format.WriteNPYInts(path, found.Labels, e.Clouds) })
}
