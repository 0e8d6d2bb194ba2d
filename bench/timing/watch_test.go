package timing

import (
	"runtime"
	"testing"
)

var held []byte

// TestWatch: memory that was freed before does not count, memory that the work frees does.
func TestWatch(t *testing.T) {
	fill := func(mb int) {
		held = make([]byte, mb<<20)
		for i := 0; i < len(held); i += 4096 {
			held[i] = 1
		}
		held = nil
	}
	fill(200)
	above := Watch()
	if runtime.GOOS != "linux" {
		if above() != 0 {
			t.Error("only Linux tells")
		}
		return
	}
	fill(50)
	if mb := above(); mb < 45 || mb > 120 {
		t.Errorf("%.1f MB for 50", mb)
	}
}
