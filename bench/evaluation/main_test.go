package main

import (
	"strings"
	"testing"
)

// TestCaller: the compiled and the whole call satisfy the order that holds for every pair (exact
// EMD at most the approximate one), and all are positive between different shapes.
func TestCaller(t *testing.T) {
	x, y, err := shapes(2, 64)
	if err != nil {
		t.Fatal(err)
	}
	value := map[string]float64{}
	for _, metric := range []string{"cd", "sw", "emd", "emd-exact"} {
		call, _, err := caller(metric, x, y)
		if err != nil {
			t.Fatal(err)
		}
		if value[metric], err = call(); err != nil || !(value[metric] > 0) {
			t.Fatalf("%s: %v, %v", metric, value[metric], err)
		}
	}
	if exact, soft := value["emd-exact"], value["emd"]; exact > soft*1.001 || soft > 2*exact {
		t.Errorf("exact EMD %v, approximate %v", exact, soft)
	}
	if _, _, err := caller("jsd", x, y); err == nil || !strings.Contains(err.Error(), "jsd") {
		t.Errorf("%v", err)
	}
	if _, _, err := shapes(1000, 64); err == nil {
		t.Error("1000 pairs")
	}
}
