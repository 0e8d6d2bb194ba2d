package main

import (
	"encoding/json"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/internal/settings"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

// TestConventions computes every number of the table of conventions.md by the call beside it, on the clouds of the page.
func TestConventions(t *testing.T) {
	page := string(must.M1(os.ReadFile("conventions.md")))
	backend := must.M1(engine.Open("go"))
	x, y := array(t, page, "X"), array(t, page, "Y")
	directions := array(t, page, "directions")
	rows := regexp.MustCompile("(?m)^\\|[^|]*\\| `(--loss [^`]*)`(, [×/] [0-9]+)? \\| ([0-9.]+) \\|$").FindAllStringSubmatch(page, -1)
	if len(rows) < 15 {
		t.Fatalf("found %d rows with a call and a number, expected the table of 15 or more", len(rows))
	}
	for _, row := range rows {
		name, o := options(t, row[1])
		o.Engine = backend
		if name == "sw" {
			o.Directions = &swlab.Directions{Values: directions.Coords, Shape: []int{directions.Points, directions.Dim}}
		}
		d := must.M1(swlab.Distance(name, x, y, o))
		value := d.Value
		if sign, by, ok := strings.Cut(strings.TrimPrefix(row[2], ", "), " "); ok {
			factor := must.M1(strconv.ParseFloat(by, 64))
			if sign == "/" {
				factor = 1 / factor
			}
			value *= factor
		}
		printed := must.M1(strconv.ParseFloat(row[3], 64))
		if !(math.Abs(value-printed) <= 4e-6*printed) {
			t.Errorf("%s%s: the page says %s, found %.8g (%s)", row[1], row[2], row[3], value, d.Convention)
		}
	}
}

// options are the settings that the flags of a call stand for.
func options(t *testing.T, call string) (name string, o swlab.DistanceConfig) {
	t.Helper()
	o = swlab.DistanceConfig{Config: loss.Defaults(), Seed: 1}
	fields := settings.Of(&o.Config)
	for _, flag := range strings.Split(call, "--")[1:] {
		what, value, given := strings.Cut(strings.TrimSpace(flag), " ")
		switch {
		case what == "loss":
			name = value
			continue
		case !given:
			value = "true"
		}
		must.M(fields.Apply(map[string]any{what: value}))
	}
	return name, o
}

// array is the NumPy array of that name in the page.
func array(t *testing.T, page, name string) *datasets.Set {
	t.Helper()
	found := regexp.MustCompile(`(?m)^` + name + ` = np\.array\((.*)\)$`).FindStringSubmatch(page)
	if found == nil {
		t.Fatalf("the page has no array %s", name)
	}
	var rows [][]float32
	must.M(json.Unmarshal([]byte(found[1]), &rows))
	s := &datasets.Set{Name: name, Clouds: 1, Points: len(rows), Dim: len(rows[0])}
	for _, r := range rows {
		s.Coords = append(s.Coords, r...)
	}
	return s
}
