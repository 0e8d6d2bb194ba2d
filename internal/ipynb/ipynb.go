// Package ipynb reads stored Jupyter notebooks, for the tests that hold them against the rest of the
// repository.
package ipynb

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// Cell is a cell of a notebook with its stored outputs.
type Cell struct {
	Kind    string `json:"cell_type"` // code or markdown
	Source  Text
	Outputs []Output
}

// Output is a stored output: its forms by media type.
type Output struct{ Data map[string]Text }

// Text is a text that a notebook stores as lines, or in one piece; "" for what is no text.
type Text string

// UnmarshalJSON joins the lines.
func (t *Text) UnmarshalJSON(raw []byte) error {
	var lines []string
	if json.Unmarshal(raw, &lines) == nil {
		*t = Text(strings.Join(lines, ""))
	} else if json.Unmarshal(raw, (*string)(t)) != nil {
		*t = ""
	}
	return nil
}

// Read returns the cells of the notebook at a path. Its errors name the file.
func Read(path string) ([]Cell, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var notebook struct{ Cells []Cell }
	if err := json.Unmarshal(raw, &notebook); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(notebook.Cells) == 0 {
		return nil, fmt.Errorf("%s: expected a notebook with cells, found none", path)
	}
	return notebook.Cells, nil
}
