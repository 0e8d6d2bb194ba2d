package table_test

import (
	"fmt"

	"github.com/sliced-wasserstein/lab/experiments/table"
)

// What the paper prints in the EMD column of its table on the number of slices.
func ExampleGet() {
	t, err := table.Get("ablation_L")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range t.WithoutOurs().Rows {
		fmt.Printf("%-8s L = %-4v EMD %v\n", r.Name, r.Paper["slices"].Mean, r.Paper["emd"].Mean)
	}
	// Output:
	// SW       L = 50   EMD 190.97
	// SW       L = 100  EMD 191.12
	// SW       L = 200  EMD 191.21
	// SW       L = 500  EMD 190.14
	// LAv-DSW  L = 50   EMD 188.8
	// LAv-DSW  L = 100  EMD 185.26
}
