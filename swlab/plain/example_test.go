package plain_test

import (
	"fmt"

	"github.com/sliced-wasserstein/lab/swlab/plain"
)

func ExampleSet() {
	off := plain.Set("sort,host")
	fmt.Println(off.Has(plain.Sort), off.Has(plain.Ascent), off.Check())
	// Output: true false <nil>
}
