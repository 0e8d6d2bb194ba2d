package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/janpfeifer/must"
	"github.com/sliced-wasserstein/lab/internal/ipynb"
)

// pages lists the repository's pages, and its notebooks.
func pages(t *testing.T) []string {
	t.Helper()
	var pages []string
	for _, pattern := range []string{"*.md", "results/*.md", "../*.md", "../bench/*.md", "../swlab/*/testdata/*.md", "../notebooks/*.ipynb"} {
		pages = append(pages, must.M1(filepath.Glob(pattern))...)
	}
	if len(pages) < 15 {
		t.Fatalf("found only the pages %v", pages)
	}
	return pages
}

func read(t *testing.T, path string) string {
	t.Helper()
	return string(must.M1(os.ReadFile(path)))
}

// TestNamedTests: every test that a page names exists.
func TestNamedTests(t *testing.T) {
	declared := map[string]bool{}
	function := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	must.M(filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && strings.HasPrefix(d.Name(), ".") && d.Name() != ".." {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		raw, err := os.ReadFile(path)
		for _, match := range function.FindAllSubmatch(raw, -1) {
			declared[string(match[1])] = true
		}
		return err
	}))
	named := regexp.MustCompile("`(Test[A-Z]\\w*)")
	found := 0
	for _, page := range pages(t) {
		for _, match := range named.FindAllStringSubmatch(prose(t, page), -1) {
			if found++; !declared[match[1]] {
				t.Errorf("%s: there is no test %s", page, match[1])
			}
		}
	}
	if found < 30 {
		t.Errorf("found %d names of tests", found)
	}
}

// TestLinks: every relative link of the repository's pages leads to a file, and its anchor to a heading there.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^()\s]+)\)`)
	headings := map[string]map[string]bool{}
	for _, page := range pages(t) {
		text := prose(t, page)
		for _, match := range link.FindAllStringSubmatch(text, -1) {
			target, anchor, _ := strings.Cut(match[1], "#")
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			file := page
			if target != "" {
				file = filepath.Join(filepath.Dir(page), target)
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s: the link %s leads nowhere", page, match[1])
				continue
			}
			if anchor == "" || filepath.Ext(file) != ".md" {
				continue
			}
			if headings[file] == nil {
				headings[file] = anchors(prose(t, file))
			}
			if !headings[file][anchor] {
				t.Errorf("%s: the link %s: %s has no heading #%s", page, match[1], file, anchor)
			}
		}
	}
}

// prose is a page without its blocks of code, or the text of a notebook.
func prose(t *testing.T, path string) string {
	t.Helper()
	var text strings.Builder
	if filepath.Ext(path) == ".ipynb" {
		for _, cell := range must.M1(ipynb.Read(path)) {
			if cell.Kind == "markdown" {
				text.WriteString(string(cell.Source) + "\n\n")
			}
		}
	} else {
		text.WriteString(read(t, path))
	}
	return regexp.MustCompile("(?ms)^```.*?^```$").ReplaceAllString(text.String(), "")
}

// anchors are the names by which headings can be linked: lower case, punctuation dropped, spaces as hyphens.
func anchors(text string) map[string]bool {
	out := map[string]bool{}
	for _, h := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
		heading := regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`).ReplaceAllString(h[1], "$1")
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, heading)
		out[name] = true
	}
	return out
}

// TestVersion: the changelog starts with the version that the citation names.
func TestVersion(t *testing.T) {
	changes := must.M1(os.ReadFile("../CHANGELOG.md"))
	citation := must.M1(os.ReadFile("../CITATION.cff"))
	first := regexp.MustCompile(`(?m)^## (v\d+\.\d+\.\d+)\b`).FindSubmatch(changes)
	named := regexp.MustCompile(`(?m)^version: (.+)$`).FindSubmatch(citation)
	if first == nil || named == nil || string(first[1]) != string(named[1]) {
		t.Errorf("CHANGELOG.md starts with %q, CITATION.cff names %q", first, named)
	}
}
