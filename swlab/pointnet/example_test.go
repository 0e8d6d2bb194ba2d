package pointnet_test

import (
	"fmt"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/pointnet"
)

// The weights have the names of the authors' PyTorch modules.
func ExampleNew() {
	net := must.M1(pointnet.New(2048))
	fmt.Println(net.Specs()[0].Name, net.Specs()[0].Shape, net.Parameters())
	// Output: encoder.mlp1.0.weight [64 3 1] 8028544
}
