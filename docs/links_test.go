package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// TestLinks: every relative link of the repository's pages leads to a file, and its anchor to a heading there.
func TestLinks(t *testing.T) {
	pages, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{"results/*.md", "../*.md", "../bench/*.md", "../swlab/*/testdata/*.md"} {
		more, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, more...)
	}
	if len(pages) < 15 {
		t.Fatalf("found only the pages %v", pages)
	}
	link := regexp.MustCompile(`\]\(([^()\s]+)\)`)
	headings := map[string]map[string]bool{}
	for _, page := range pages {
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

// prose is a page without its blocks of code.
func prose(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile("(?ms)^```.*?^```$").ReplaceAllString(string(raw), "")
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
