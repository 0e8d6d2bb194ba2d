// Package canvastest runs a page of this repository without a browser, for tests of what it draws.
package canvastest

import (
	_ "embed" // embeds the document
	"os/exec"
	"strings"
	"testing"
)

//go:embed page.js
var document string

// Drawings runs the script of a page and returns what it draws, one path, text or image per line:
// at the start, then after each event, "input k value" of the k-th slider, "keydown ArrowLeft",
// "pointerdown x y", "pointermove x y" or "click". Paths are written as their number of pieces,
// extent and mean, images as sixteen means. The test is skipped without node.
func Drawings(t *testing.T, page string, events ...string) string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node to run the script of the page")
	}
	c := exec.Command(node, append([]string{"-e", document, "--"}, events...)...)
	c.Stdin = strings.NewReader(page)
	var complaints strings.Builder
	c.Stderr = &complaints
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, complaints.String())
	}
	return string(out)
}
