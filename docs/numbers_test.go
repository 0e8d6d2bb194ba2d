package main

import (
	"fmt"
	"html"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"github.com/sliced-wasserstein/lab/experiments/table"
	"github.com/sliced-wasserstein/lab/internal/ipynb"
)

// A number in the text of a notebook or of a page of results is followed by a comment that says
// where it comes from:
//
//	A turns by 0.1<!-- A | 0.1 --> degrees.                    quotes a stored output of this notebook
//	The range is 9 %<!-- 34_vDSW_approximation: 9 % -->        quotes another file
//	The rows differ by 0.02<!-- | 52.01 minus | 51.99 -->       a difference of two; one may be a plain number
//	4 times<!-- given: (1/2)^-2 -->                            follows from no output; a quotient of two numbers is computed
//
// The quotation must be in the stored outputs, whose cells of tables are separated by " | ", and
// hold a number that rounds to the one in the text. Numbers in formulas, code, links and settings
// such as κ = 10 need no comment.
var (
	exempt  = regexp.MustCompile("(?s)```.*?```|`[^`]*`|\\$\\$.*?\\$\\$|\\$[^$]*\\$|\\]\\([^)]*\\)|(?:^|\\W)[κηLTdnmtPθ]\\s?[=≈<>]\\s?[-+−]?[0-9.,]+")
	measure = regexp.MustCompile(`[-+−]?\d+(?:\.\d+)?(?:\s?%|°| degrees| times\b)|[-+−]?\d+\.\d+|[-+−]?\d+<!--`)
	source  = regexp.MustCompile(`(?s)^[\s*]*<!--(.*?)-->`)
	digits  = regexp.MustCompile(`[-+−]?\d+(?:\.\d+)?(?:e[-+]?\d+)?`)
	element = regexp.MustCompile(`<[^>]*>`)
)

// unsourced returns what is wrong with the numbers of a text; outputs are those of its own file, and
// read returns those of another.
func unsourced(text, outputs string, read func(name string) (string, error)) (problems []string) {
	text, _, _ = strings.Cut(text, "## Exercises\n") // their numbers are part of the questions
	whole := text
	for _, pattern := range []*regexp.Regexp{difference, relative, caption, direction, measured, exempt} { // L = 0.26 is no setting in "A − L = 0.26"
		text = pattern.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat("_", len(s)) })
	}
	comments := regexp.MustCompile(`(?s)<!--.*?-->`).FindAllStringIndex(text, -1)
	inside := func(at int) bool {
		for _, c := range comments {
			if c[0] <= at && at < c[1] {
				return true
			}
		}
		return false
	}
	for _, at := range measure.FindAllStringIndex(text, -1) {
		if inside(at[0]) || at[0] > 0 && (text[at[0]-1] == '_' || text[at[0]-1] == '.') {
			continue
		}
		number := strings.TrimSuffix(text[at[0]:at[1]], "<!--")
		at[1] = at[0] + len(number)
		m := source.FindStringSubmatch(whole[at[1]:])
		if m == nil {
			problems = append(problems, fmt.Sprintf("%q has no source: %s", number, around(whole, at)))
			continue
		}
		where := strings.TrimSpace(m[1])
		if given, ok := strings.CutPrefix(where, "given: "); ok {
			if problem := divided(number, given); problem != "" {
				problems = append(problems, problem)
			}
			continue
		}
		from := outputs
		if file, quote, ok := strings.Cut(where, ": "); ok {
			other, err := read(file)
			if err != nil {
				problems = append(problems, err.Error())
				continue
			}
			from, where = other, quote
		}
		if problem := quoted(number, where, from); problem != "" {
			problems = append(problems, problem)
		}
	}
	return problems
}

// divided says what is wrong with a number that is given as a quotient, A/B.
func divided(number, given string) string {
	a, b, _ := strings.Cut(given, "/")
	v := parse(a) / parse(b)
	if math.IsNaN(v) { // it is given in words
		return ""
	}
	if strings.HasSuffix(number, "%") {
		v *= 100
	}
	if !rounds(number, fmt.Sprintf("%.9f", v)) {
		return fmt.Sprintf("%q is not %s", number, given)
	}
	return ""
}

// quoted says what is wrong with a number and its quotation.
func quoted(number, quote, from string) string {
	parts := strings.Split(quote, " minus ")
	for _, part := range parts {
		if !strings.Contains(from, part) && digits.FindString(part) != part {
			return fmt.Sprintf("%q: no stored output holds %q", number, part)
		}
	}
	if len(parts) == 2 {
		a, b := digits.FindAllString(parts[0], -1), digits.FindAllString(parts[1], -1)
		if len(a) == 0 || len(b) == 0 {
			return fmt.Sprintf("%q: a part of %q holds no number", number, quote)
		}
		quote = fmt.Sprintf("%.9f", parse(a[len(a)-1])-parse(b[len(b)-1]))
	}
	if !rounds(number, quote) {
		return fmt.Sprintf("%q is no number of %q", number, quote)
	}
	return ""
}

func around(text string, at []int) string {
	return strings.Join(strings.Fields(text[max(0, at[0]-40):min(len(text), at[1]+40)]), " ")
}

// parse reads a number with a sign of either kind.
func parse(s string) float64 {
	v, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimPrefix(s, "+"), "−", "-"), 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// rounds reports whether a number of the quotation rounds to the given one.
func rounds(number, quote string) bool {
	plain := digits.FindString(number)
	_, decimals, _ := strings.Cut(plain, ".")
	want, unit := parse(plain), math.Pow(10, -float64(len(decimals)))
	for _, q := range digits.FindAllString(quote, -1) {
		if v := parse(q); math.Abs(v-want) <= unit/2*(1+1e-9) || math.Abs(-v-want) <= unit/2*(1+1e-9) {
			return true
		}
	}
	return false
}

// stored returns the text of all outputs of a notebook and its Markdown cells.
func stored(path string) (outputs string, texts []string, err error) {
	cells, err := ipynb.Read(path)
	if err != nil {
		return "", nil, err
	}
	var b strings.Builder
	for _, c := range cells {
		if c.Kind == "markdown" {
			texts = append(texts, string(c.Source))
		}
		for _, o := range c.Outputs {
			for _, kind := range []string{"text/html", "text/markdown", "text/plain"} {
				if text, ok := o.Data[kind]; ok {
					b.WriteString(plain(string(text)) + "\n")
				}
			}
		}
	}
	return b.String(), texts, nil
}

// plain is the text of HTML, with " | " between cells of a table.
func plain(code string) string {
	code = regexp.MustCompile(`(?s)<(script|style).*?</(script|style)>`).ReplaceAllString(code, "")
	code = strings.NewReplacer("</td><td", "</td> | <td", "</th><td", "</th> | <td", "</th><th", "</th> | <th", `<span class="paper">`, " (").Replace(code)
	return html.UnescapeString(element.ReplaceAllString(code, ""))
}

// output reads the outputs of a notebook or a page of results or of this folder, by its name without ending.
func output(name string) (string, error) {
	for _, dir := range []string{"results", "."} {
		if raw, err := os.ReadFile(filepath.Join(dir, name+".md")); err == nil {
			return string(raw), nil
		}
	}
	out, _, err := stored(filepath.Join("..", "notebooks", name+".ipynb"))
	return out, err
}

// TestNumbersWritten: every page has the numbers that `make numbers` writes, and a number of the benchmarks in measured.md has a comment.
func TestNumbersWritten(t *testing.T) {
	found := 0
	for _, page := range pages(t) {
		text := read(t, page)
		if filepath.Ext(page) == ".ipynb" {
			text = prose(t, page)
		}
		if want, err := filled(".", text); err != nil {
			t.Errorf("%s: %v", page, err)
		} else if text != want {
			t.Errorf("%s: run make numbers", page)
		}
		found += strings.Count(text, "<!-- bench: ") + len(difference.FindAllString(text, -1))
		// A comment that names two rows and follows no number.
		if all := regexp.MustCompile(`<!-- \w+(?:-[a-z]+)?: [\w,]+ \S+ [-/] \S+ -->`).FindAllString(text, -1); len(all) != len(difference.FindAllString(text, -1)) {
			t.Errorf("%s: %d comments name a difference, %d follow one", page, len(all), len(difference.FindAllString(text, -1)))
		}
	}
	if found < 130 {
		t.Errorf("%d numbers", found)
	}
	for line := range strings.Lines(steps.ReplaceAllString(measured.ReplaceAllString(read(t, "measured.md"), ""), "")) {
		if regexp.MustCompile(`[0-9] (ms|s)\b|[0-9] times|\| (\*\*)?0\.[0-9]+(\*\*)? (of|\|)`).MatchString(line) {
			t.Errorf("measured.md: a number without a comment: %s", line)
		}
	}
}

// TestNumbers: every measured number in the text of the notebooks and of the pages of results is
// that of a stored output.
func TestNumbers(t *testing.T) {
	notebooks, err := filepath.Glob("../notebooks/*.ipynb")
	if err != nil || len(notebooks) == 0 {
		t.Fatalf("no notebooks: %v", err)
	}
	for _, path := range notebooks {
		out, texts := must.M2(stored(path))
		for _, text := range texts {
			for _, problem := range unsourced(text, out, output) {
				t.Errorf("%s: %s", filepath.Base(path), problem)
			}
		}
	}
	tables, err := filepath.Glob("results/*-desk.json")
	if err != nil || len(tables) < 9 {
		t.Fatalf("%d tables, %v", len(tables), err)
	}
	for _, file := range append(tables, must.M1(filepath.Glob("results/*-real.json"))...) {
		name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(file), ".json"), "-desk")
		page := read(t, filepath.Join("results", name+".md"))
		text, table, found := strings.Cut(page, "<summary>The table</summary>")
		if !found {
			t.Errorf("%s.md has no table", name)
		}
		for _, problem := range unsourced(text, table, output) {
			t.Errorf("%s.md: %s", name, problem)
		}
	}
	for _, page := range []string{"claims.md", "findings.md", "../README.md"} {
		for _, problem := range unsourced(read(t, page), "", output) {
			t.Errorf("%s: %s", page, problem)
		}
	}
}

// TestHolm: comparisons are counted alone and after Holm's correction, which stops at the first that
// fails; a ratio pools the deviations of several rows, by their degrees of freedom.
func TestHolm(t *testing.T) {
	var all []comparison
	for _, p := range []float64{0.01, 0.04, 0.03, 0.005, 0.6} {
		all = append(all, comparison{p: p})
	}
	if got := excluding(all); got != "4 of 5 (2 by Holm)" { // 0.03 times 3 is more than 0.05
		t.Error(got)
	}
	x := paired(table.NewCell(1, 2, 4), table.NewCell(0, 0, 0, 9), 10, "") // 10, 20, 40: t = 2.646 of 2 degrees of freedom
	if math.Abs(x.value-70.0/3) > 1e-9 || math.Abs(x.p-0.1181) > 1e-4 || math.Abs(x.high-61.28) > 0.01 {
		t.Errorf("%+v", x)
	}
	for marker, want := range map[[6]string]string{
		{"full_reconstruction_result", "-desk", "emd", "la-v-dsw", "/", "max-sw-T1,max-sw-T10,max-sw-T50"}:           "1.19 (0.48 to 3.60)",
		{"short_reconstruction_result", "-desk", "emd", "la-v-dsw,ea-v-dsw,a-v-dsw", "-", "l-v-dsw,g-v-dsw,n-v-dsw"}: "1 of 9 (0 by Holm)",
	} {
		if got, err := stated(".", marker[0], marker[1], marker[2], marker[3], marker[4], marker[5]); err != nil || got != want {
			t.Errorf("%v: %q, %v, expected %q", marker, got, err, want)
		}
	}
	// Every comparison once, whatever its direction, and none of the paper's.
	page := "\n### 1. A\n0<!-- ablation_T-desk: emd v-dsw-T50 - v-dsw-T0 --> 0<!-- ablation_T-desk: emd v-dsw-T0 - v-dsw-T50 -->" +
		" 0<!-- ablation_T: emd v-dsw-T50 - v-dsw-T0 -->\n### 2. B\n0<!-- ablation_T-desk: emd v-dsw-T50 - v-dsw-T1 -->"
	if one, err := claimed(".", page, "1"); err != nil || len(one) != 1 {
		t.Errorf("%d comparisons, %v", len(one), err)
	}
	if _, err := claimed(".", page, "3"); err == nil {
		t.Error("a claim that is not there")
	}
}

// TestResultsPages: a page of results asks a question, answers it in at most 90 words with a number in per cent, shows one
// picture, says in two lines what it does not show, and folds the rest; findings.md has each question and its picture.
func TestResultsPages(t *testing.T) {
	findings := read(t, "findings.md")
	files := append(must.M1(filepath.Glob("results/*-desk.json")), must.M1(filepath.Glob("results/*-real.json"))...)
	for _, file := range files {
		page := strings.TrimSuffix(strings.TrimSuffix(file, ".json"), "-desk") + ".md"
		text := regexp.MustCompile(`<!--.*?-->`).ReplaceAllString(read(t, page), "")
		title, rest, _ := strings.Cut(text, "\n")
		before, after, _ := strings.Cut(rest, "\n![")
		open, folded, _ := strings.Cut(after, "\n<details>\n")
		if !strings.HasPrefix(title, "# ") || !strings.HasSuffix(title, "?") {
			t.Errorf("%s: the title is %q, expected a question", page, title)
		}
		if n := len(strings.Fields(before)); n == 0 || n > 90 || !strings.Contains(before, " %") {
			t.Errorf("%s: %d words before the picture, expected at most 90 with a number in per cent", page, n)
		}
		if !strings.Contains(open, "**What it does not show.**") || strings.Count(open, "\n- ") != 2 || strings.Contains(folded, "\n![") {
			t.Errorf("%s: expected one picture and two lines of what it does not show, found %q", page, open)
		}
		for _, fold := range strings.Split(folded, "<details>\n") {
			if _, outside, closed := strings.Cut(fold, "</details>"); !closed || strings.TrimSpace(outside) != "" {
				t.Errorf("%s: text outside of what is folded: %q", page, outside)
			}
		}
		picture := strings.TrimSuffix(file, ".json") + ".png"
		if !strings.Contains(findings, strings.TrimPrefix(title, "# ")+"]("+page+")") || !strings.Contains(findings, picture) {
			t.Errorf("findings.md does not show %s and %s", page, picture)
		}
	}
	if len(files) < 10 {
		t.Errorf("%d pages", len(files))
	}
}
