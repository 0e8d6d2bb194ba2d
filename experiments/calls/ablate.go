package calls

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sliced-wasserstein/lab/internal/settings"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

// ablateSettings are those of ablate; all others are of distance.
type ablateSettings struct {
	Vary    string `json:"vary"` // "kappa=0.1,1;slices=10,100": the grid is the product, the last varies fastest
	Repeats int    `json:"repeats" range:"1.."`
}

// ablate computes a distance over a grid of settings, with as many seeds as repeats. A setting that
// a loss does not read is left out of its rows, which are then fewer.
func ablate(r *Request, a *Answer) error {
	s, fixed := ablateSettings{Repeats: 1}, maps.Clone(r.Settings)
	if err := Take(fixed, &s); err != nil {
		return err
	}
	grid, err := gridOf(s.Vary)
	if err != nil {
		return err
	}
	var rows []map[string]string
	var values []float64
	seen := map[string]bool{}
	var conventions []string
	for i, point := range grid {
		all := maps.Clone(fixed)
		maps.Copy(all, point)
		if err := drop(all, point, r.Array("directions") != nil); err != nil {
			return err
		}
		id, _ := json.Marshal(point) // texts
		if seen[string(id)] {
			continue
		}
		seen[string(id)] = true
		for k := range s.Repeats {
			if err := r.ctx.Err(); err != nil {
				return err
			}
			call, d := *r, Answer{}
			call.Settings, call.Seed = all, r.Seed+uint64(k)
			if err := distance(&call, &d); err != nil {
				return fmt.Errorf("%s: %w", id, err)
			}
			values = append(values, d.Arrays[0].Values.([]float64)[0])
			if c := d.Text["convention"]; !slices.Contains(conventions, c) {
				conventions = append(conventions, c)
			}
			for _, w := range d.Warnings {
				kind := digits.ReplaceAllString(w, "")
				if !seen[kind] { // one of a kind is enough
					seen[kind], a.Warnings = true, append(a.Warnings, w)
				}
			}
		}
		rows = append(rows, point)
		if len(grid) > 1 {
			r.Show(Event{ID: "ablation", Text: fmt.Sprintf("%d of %d", i+1, len(grid))})
		}
	}
	text, err := json.Marshal(rows)
	a.Text = map[string]string{"rows": string(text), "convention": strings.Join(conventions, "; or "), "repeats": strconv.Itoa(s.Repeats)}
	Add(a, "values", values, len(rows), s.Repeats)
	return err
}

// gridOf is the product of settings that vary; without any, one point without settings.
func gridOf(vary string) ([]map[string]string, error) {
	grid := []map[string]string{{}}
	if vary == "" {
		return grid, nil
	}
	all, err := settings.ParseVary(strings.Split(vary, ";")...)
	if err != nil {
		return nil, err
	}
	for _, v := range all {
		var next []map[string]string
		for _, at := range grid {
			for _, value := range v.Values {
				point := maps.Clone(at)
				point[v.Name] = value
				next = append(next, point)
			}
		}
		grid = next
	}
	return grid, nil
}

var digits = regexp.MustCompile(`[0-9.e+-]+`)

// drop removes settings that the loss does not read: varied ones and, where the loss varies, all.
func drop(all, point map[string]string, directions bool) error {
	others := NewDistanceSettings("")
	if err := (&Request{Settings: all}).Apply(&others); err != nil {
		return err
	}
	others.Maps.Points = 1 // of any clouds
	_, losses := point["loss"]
	for setting := range maps.Clone(all) {
		if _, varied := point[setting]; setting == "loss" || !varied && (!losses || !slices.Contains(loss.SettingNames(), setting)) {
			continue
		}
		why, err := loss.Unread(others.Loss, others.Config, directions, setting)
		if err != nil {
			return err
		}
		if why != "" {
			delete(all, setting)
			delete(point, setting)
		}
	}
	return nil
}
