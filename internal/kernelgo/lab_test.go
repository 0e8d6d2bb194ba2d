package main

import (
	"strings"
	"testing"
)

// notebookCell is a program as GoNB writes it, of declarations and the lines of a cell.
func notebookCell(declarations, lines string) string {
	return "package main\n\nimport (\n\t. \"example.com/graph\"\n\t\"flag\"\n\t\"fmt\"\n\tlab \"" + module + "\"\n)\n\n" + declarations +
		"\n\nfunc main() {\n\tflag.Parse()\n" + lines + "\n}\n"
}

// TestLastExpression: what a cell ends with shows itself, on its line, unless it returns nothing.
func TestLastExpression(t *testing.T) {
	const declarations = "var x = lab.Cloud(\"chair\")\n\nvar moments = lab.Loss(\"m\", nil)\n\nvar f = lab.SW\n"
	for lines, want := range map[string]string{
		"lab.SW(x, x)":             "lab.Show(lab.SW(x, x))",
		"lab.SW(x, x).Slice()":     "lab.Show(lab.SW(x, x).Slice())",
		"moments(x, x)":            "lab.Show(moments(x, x))",
		"f(x, x)":                  "lab.Show(f(x, x))",
		"x":                        "lab.Show(x)",
		"d := f(x, x)\nd.Value":    "d := f(x, x)\nlab.Show(d.Value)",
		"d := f(x, x)\nd.Plot()":   "d := f(x, x)\nlab.Show(d.Plot())",
		"lab.SW(x, x).Show()":      "",
		"lab.Vars()":               "",
		"lab.Results(\"t\")":       "",
		"x.Plot().Save(\"a.png\")": "",
		"fmt.Println(x)":           "",
		"d := f(x, x)\nuse(d)":     "",
		"d := f(x, x)":             "",
	} {
		source := notebookCell(declarations, lines)
		c := parse("", []byte(source))
		c.showLast()
		if want == "" {
			want = lines
		}
		if got := string(c.source); got != notebookCell(declarations, want) || c.changed == (want == lines) {
			t.Errorf("%s: found %s", lines, got)
		}
	}
}

// TestNeedsLibrary: a cell is built with the library if it reaches a loss of the reader's own, or such a loss
// is new; else without it, and without what needs it.
func TestNeedsLibrary(t *testing.T) {
	const declarations = `var x = lab.Cloud("chair")

var moments = lab.Loss("m", func(x, y *lab.Node) *lab.Node { return square(x) })

func square(v *lab.Node) *lab.Node { return Mul(v, v) }

func both() { moments(x, x) }

func twice() int { return 2 }
`
	for lines, want := range map[string]bool{"lab.SW(x, x)": false, "moments(x, x)": true, "both()": true, "fmt.Println(twice())": false} {
		source := notebookCell(declarations, lines)
		c := parse("", []byte(source))
		if !c.needsLibrary(map[string]bool{}) {
			t.Errorf("%s: new declarations are not checked", lines)
		}
		checked := map[string]bool{}
		for _, p := range c.parts {
			checked[c.key(p)] = true
		}
		if got := c.needsLibrary(checked); got != want {
			t.Errorf("%s: found %v, expected %v", lines, got, want)
		}
		text := string(c.source)
		if has := strings.Contains(text, "lab.Node") && strings.Contains(text, "example.com/graph"); has != want {
			t.Errorf("%s: what is left is\n%s", lines, text)
		}
		if strings.Count(text, "\n") != strings.Count(source, "\n") {
			t.Errorf("%s: other lines", lines)
		}
	}
}

// TestLabDoesNotAct: a value of package lab is computed where a cell reaches it.
func TestLabDoesNotAct(t *testing.T) {
	c := parse("", []byte(notebookCell("var x, y = lab.Cloud(\"chair\"), lab.Points(rows())\n\nvar z = rows()\n\nvar d = lab.SW(x, y).Plot()\n", "x")))
	for _, p := range c.parts {
		if want := p.text == "var z = rows()" || p.function != nil; p.acts != want {
			t.Errorf("%s: acts %v", p.text, p.acts)
		}
	}
	if flags := withLibrary(`-buildvcs=false "-ldflags=-s -linkmode=internal" ` + thin); strings.Contains(flags, "tags") || !strings.HasSuffix(flags, `internal"`) {
		t.Error(flags)
	}
}
