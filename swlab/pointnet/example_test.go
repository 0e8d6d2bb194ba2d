package pointnet_test

import (
	"fmt"

	"github.com/sliced-wasserstein/lab/swlab/pointnet"
)

// The weights have the names of the authors' PyTorch modules.
func ExampleNew() {
	net, err := pointnet.New(2048)
	if err != nil {
		fmt.Println(err)
		return
	}
	parameters := 0
	for _, s := range net.Specs() {
		if !s.Buffer {
			parameters += s.Size()
		}
	}
	fmt.Println(net.Specs()[0].Name, net.Specs()[0].Shape, parameters)
	// Output: encoder.mlp1.0.weight [64 3 1] 8028544
}
