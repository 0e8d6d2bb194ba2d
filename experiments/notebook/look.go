package notebook

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// mirror is what autoencoders make of a few clouds, compiled once for all their weights. Close it.
type mirror struct {
	exec   *graph.Exec
	specs  []weights.Spec
	clouds *tensors.Tensor
}

func newMirror(e *engine.Engine, clouds *datasets.Set) (*mirror, error) {
	net, err := pointnet.New(clouds.M)
	if err != nil {
		return nil, err
	}
	m := &mirror{specs: net.Specs(), clouds: tensors.FromFlatDataAndDimensions(clouds.Points, clouds.N, clouds.M, clouds.D)}
	m.exec, err = graph.NewExec(e.Backend, func(in []*graph.Node) *graph.Node {
		w := weights.Bind(m.specs, in[1:])
		return net.Decode(w, net.Encode(w, in[0], pointnet.Eval), pointnet.Eval)
	})
	return m, err
}

// look returns the reconstructions [clouds, points, 3] by the network of weights w, normalised by the running statistics.
func (m *mirror) look(w *weights.Set) ([]float32, error) {
	in := []any{m.clouds}
	defer func() {
		for _, t := range in[1:] {
			t.(*tensors.Tensor).FinalizeAll()
		}
	}()
	for _, s := range m.specs {
		t, ok := w.Get(s.Name)
		if !ok {
			return nil, fmt.Errorf("no tensor %q: expected the weights of an autoencoder", s.Name)
		}
		in = append(in, tensors.FromFlatDataAndDimensions(t.Data, t.Shape...))
	}
	out, err := m.exec.Call(in...)
	if err != nil {
		return nil, err
	}
	defer free(out)
	return tensors.CopyFlatData[float32](out[0])
}

func (m *mirror) close() {
	m.exec.Finalize()
	m.clouds.FinalizeAll()
}
