package ipynb

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRead: text in lines and in one piece, an output that is no text, and files that are no notebook.
func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.ipynb")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"cells": [{"cell_type": "markdown", "source": ["a\n", "b"]},
		{"cell_type": "code", "source": "c", "outputs": [{"data": {"text/html": ["d", "e"], "application/json": {"x": 1}}}, {"name": "stdout"}]}]}`)
	cells, err := Read(path)
	if err != nil || len(cells) != 2 || cells[0].Kind != "markdown" || cells[0].Source != "a\nb" || cells[1].Source != "c" {
		t.Fatalf("%+v, %v", cells, err)
	}
	if o := cells[1].Outputs; len(o) != 2 || o[0].Data["text/html"] != "de" || o[0].Data["application/json"] != "" || len(o[1].Data) != 0 {
		t.Errorf("%+v", o)
	}
	for _, wrong := range []string{`{`, `{}`, `{"cells": 1}`} {
		write(wrong)
		if _, err := Read(path); err == nil || !strings.HasPrefix(err.Error(), path) {
			t.Errorf("%s: %v", wrong, err)
		}
	}
	if _, err := Read(path + "x"); err == nil {
		t.Error("no error for a missing file")
	}
}
