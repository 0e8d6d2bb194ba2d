package swlab

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// hashed is the autoencoder of the reference sets for m points.
func hashed(t testing.TB, m int, seed uint64) *Network {
	t.Helper()
	specs := (&pointnet.Autoencoder{Points: m}).Specs()
	set := weights.NewSet()
	for i, v := range graphtest.Network(specs, seed) {
		set.Put(specs[i].Name, weights.Tensor{Shape: specs[i].Shape, Data: tensors.MustCopyFlatData[float32](v)})
	}
	return must.M1(NewNetwork(set))
}

// TestNetworkReference compares codes and clouds, with running and with batch statistics, with
// float64 PyTorch: the numbers of package pointnet, and the project's golden set (2048 points)
// where it is at hand.
func TestNetworkReference(t *testing.T) {
	graphtest.References(t, filepath.Join("pointnet", "testdata", "autoencoder.npz"), "autoencoder.npz",
		func(t *testing.T, z map[string]*tensors.Tensor) {
			d := z["x"].Shape().Dimensions
			x := &datasets.Set{Name: "x", Clouds: d[0], Points: d[1], Dim: d[2],
				Coords: tensors.MustCopyFlatData[float32](z["x"])}
			n := hashed(t, d[1], uint64(tensors.MustCopyFlatData[int64](z["init_seed"])[0]))
			trained := 1e-4
			if d[1] == 2048 {
				trained = 5e-5
			}
			for _, c := range []struct {
				key  string
				call func(*datasets.Set, NetworkOptions) ([]float32, error)
				o    NetworkOptions
				tol  float64
			}{
				{"latent_eval0", n.Encode, NetworkOptions{}, 5e-6},
				{"recon_eval0", n.Reconstruct, NetworkOptions{}, 5e-6},
				{"latent_train", n.Encode, NetworkOptions{BatchStats: true}, 5e-6},
				{"recon_train", n.Reconstruct, NetworkOptions{BatchStats: true}, trained},
			} {
				got := must.M1(c.call(x, c.o))
				graphtest.Close(t, c.key, got, graphtest.Values(z[c.key]), c.tol)
			}
		})
}

// TestNetworkNormalizes: with Normalize, codes do not depend on where a cloud lies nor on its size,
// reconstructions lie where it does, and codes, which have no place, are refused.
func TestNetworkNormalizes(t *testing.T) {
	e := must.M1(engine.Open("go"))
	n := hashed(t, 24, 3)
	x := gaussian(5, 3, 24, 3, 0.3)
	must.M(x.Normalize())
	moved := x.Select([]int{0, 1, 2})
	frames := []datasets.Frame{{Centre: []float64{2, -1, 0}, Scale: 5}, {Centre: []float64{0, 0, 9}, Scale: 0.5},
		{Centre: []float64{1, 1, 1}, Scale: 1}}
	back := func(clouds []float32) []float32 {
		for i, f := range frames {
			f.Undo(clouds[i*24*3 : (i+1)*24*3])
		}
		return clouds
	}
	back(moved.Coords)
	for _, c := range []struct {
		what string
		call func(*datasets.Set, NetworkOptions) ([]float32, error)
		as   func([]float32) []float32
	}{{"codes", n.Encode, func(v []float32) []float32 { return v }}, {"reconstructions", n.Reconstruct, back}} {
		want := must.M1(c.call(x, NetworkOptions{Engine: e}))
		got := must.M1(c.call(moved, NetworkOptions{Engine: e, Normalize: true}))
		for i, w := range c.as(want) {
			if math.Abs(float64(got[i]-w)) > 1e-4 {
				t.Fatalf("%s: number %d is %v, expected %v", c.what, i, got[i], w)
			}
		}
	}
	refused(t, "Normalize")(n.Decode(make([]float32, pointnet.LatentSize), NetworkOptions{Engine: e, Normalize: true}))
	clear(moved.Cloud(1))
	refused(t, "cloud 1: zero extent")(n.Encode(moved, NetworkOptions{Engine: e, Normalize: true}))
}

// TestNetworkOtherPoints: the encoder takes another number of points than the decoder makes, and a
// cloud's code does not depend on the clouds beside it.
func TestNetworkOtherPoints(t *testing.T) {
	n := hashed(t, 24, 3)
	x := gaussian(5, 3, 40, 3, 0.3)
	codes := must.M1(n.Encode(x, NetworkOptions{}))
	clouds := must.M1(n.Reconstruct(x, NetworkOptions{}))
	if len(codes) != 3*pointnet.LatentSize || len(clouds) != 3*24*3 {
		t.Fatalf("%d and %d numbers", len(codes), len(clouds))
	}
	one := must.M1(n.Reconstruct(x.Select([]int{2}), NetworkOptions{}))
	for k, v := range one {
		if math.Abs(float64(v-clouds[2*72+k])) > 1e-6 {
			t.Fatalf("%v alone, %v in the set", v, clouds[2*72+k])
		}
	}
	if slices.Equal(codes[:pointnet.LatentSize], codes[pointnet.LatentSize:2*pointnet.LatentSize]) {
		t.Error("two clouds have one code")
	}
}

func TestNetworkRefuses(t *testing.T) {
	n := hashed(t, 8, 3)
	refused(t, "dimension 3, found 2")(n.Encode(gaussian(1, 2, 8, 2, 1), NetworkOptions{}))
	refused(t, "at least one cloud")(n.Encode(&datasets.Set{Name: "empty", Dim: 3, Points: 8}, NetworkOptions{}))
	refused(t, "at least 2 clouds, found 1")(n.Reconstruct(gaussian(1, 1, 8, 3, 1), NetworkOptions{BatchStats: true}))
	refused(t, `no tensor "decoder.fc3.bias"`)(NewNetwork(weights.NewSet()))
	broken := weights.Init((&pointnet.Autoencoder{Points: 8}).Specs(), 1)
	broken.Put("extra", weights.Tensor{Shape: []int{1}, Data: []float32{0}})
	refused(t, "unknown: extra")(NewNetwork(broken))
	broken.Put("decoder.fc3.bias", weights.Tensor{Shape: []int{7}, Data: make([]float32, 7)})
	refused(t, "found [7]")(NewNetwork(broken))
}

// TestDecode: a reconstruction is the decoded code, part by part as at once, and decoding reports its parts.
func TestDecode(t *testing.T) {
	n, x := hashed(t, 8, 3), gaussian(4, 5, 12, 3, 0.3)
	codes := must.M1(n.Encode(x, NetworkOptions{}))
	for _, batch := range []bool{false, true} {
		var told []int
		got := must.M1(n.Decode(codes,
			NetworkOptions{BatchStats: batch, Progress: func(done, total int) { told = append(told, done, total) }}))
		if !slices.Equal(told, []int{5, 5}) {
			t.Errorf("progress %v", told)
		}
		want := must.M1(n.Reconstruct(x, NetworkOptions{}))
		worst := 0.0
		for i, v := range want {
			worst = max(worst, math.Abs(float64(v-got[i])))
		}
		if same := worst < 1e-5; same == batch {
			t.Errorf("batch statistics %v: decoded codes differ from reconstructions by %v", batch, worst)
		}
	}
	many := slices.Repeat(codes, codesAtOnce/5+2)
	one, _ := n.Decode(codes, NetworkOptions{})
	for _, batch := range []int{0, 32, 3 * codesAtOnce} {
		all, err := n.Decode(many, NetworkOptions{Batch: batch})
		if err != nil || len(all) != len(many)/len(codes)*len(one) {
			t.Fatalf("%d numbers, %v", len(all), err)
		}
		for i, v := range all {
			if math.Abs(float64(v-one[i%len(one)])) > 1e-5 {
				t.Fatalf("batch %d: number %d of many codes is %v, of few %v", batch, i, v, one[i%len(one)])
			}
		}
	}
	refused(t, "multiple of 256 numbers, found 255")(n.Decode(codes[:255], NetworkOptions{}))
	refused(t, "at least one, found none")(n.Decode(nil, NetworkOptions{}))
	refused(t, "need at least 2, found 1")(n.Decode(codes[:256], NetworkOptions{BatchStats: true}))
}
