package main

import (
	"slices"
	"testing"
)

func TestRows(t *testing.T) {
	if got := rows(3); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("%v", got)
	}
}
