package table

import (
	"math"
	"reflect"
	"testing"
)

func cellOf(mean, sd float64, n int) Cell { return Cell{Mean: mean, SD: &sd, N: n} }

func TestNewCell(t *testing.T) {
	c := NewCell(1, 2, 6) // deviations -2, -1, 3: sum of squares 14
	if c.Mean != 3 || c.N != 3 || math.Abs(*c.SD-math.Sqrt(7)) > 1e-15 {
		t.Errorf("found mean %g, deviation %g, n %d", c.Mean, *c.SD, c.N)
	}
	if c := NewCell(0.1, 0.1, 0.1); c.Mean != 0.1 || *c.SD != 0 {
		t.Errorf("equal values: found mean %g, deviation %g", c.Mean, *c.SD)
	}
	if c := NewCell(4); c.Mean != 4 || c.SD != nil || c.N != 1 {
		t.Errorf("one run: found %+v", c)
	}
}

// TestSampleSD: of 1, 2, 6 the deviation that divides by n is sqrt(14/3), the other sqrt(7).
func TestSampleSD(t *testing.T) {
	if got := SampleSD(math.Sqrt(14.0/3), 3); math.Abs(got-*NewCell(1, 2, 6).SD) > 1e-15 {
		t.Errorf("found %g, expected %g", got, math.Sqrt(7))
	}
}

// TestWelch: with two degrees of freedom p = 1 - t / sqrt(t^2 + 2); with one p = 1 - 2 atan(t) /
// pi.
func TestWelch(t *testing.T) {
	root3 := math.Sqrt(3)
	for _, c := range []struct {
		a, b Cell
		p    float64
	}{
		// u = 1, v = 0: t = 1, two degrees
		{cellOf(5, root3, 3), cellOf(4, 0, 3), 1 - 1/root3},
		{cellOf(4, 0, 3), cellOf(7, root3, 3), 1 - 3/math.Sqrt(11)}, // t = 3
		// u = v = 1/2: t = 2, (1)^2 / (1/4 + 1/4) = 2 degrees
		{cellOf(0, 1, 2), cellOf(2, 1, 2), 1 - 2/math.Sqrt(6)},
		// t = 1, one degree
		{cellOf(0, math.Sqrt2, 2), cellOf(1, 0, 9), 0.5},
		// Four degrees: the 97.5 % point.
		{cellOf(0, 1, 3), cellOf(2.7764451051977987*math.Sqrt(2.0/3), 1, 3), 0.05},
		// No spread at all.
		{cellOf(1, 0, 3), cellOf(2, 0, 3), 0}, {cellOf(1, 0, 3), cellOf(1, 0, 3), 1},
	} {
		if p := Welch(c.a, c.b); math.Abs(p-c.p) > 1e-9 || math.Abs(p-Welch(c.b, c.a)) > 1e-15 {
			t.Errorf("%v against %v: p = %.10f, expected %.10f", c.a.Mean, c.b.Mean, p, c.p)
		}
	}
}

func TestRanks(t *testing.T) {
	far := []Cell{cellOf(3, 0.1, 3), cellOf(1, 0.1, 3), cellOf(2, 0.1, 3), cellOf(4, 0.1, 3)}
	// 1 against 9 ± 8: t = 8 / 4.62 = 1.73 at two degrees, p = 0.23
	noisy := append([]Cell{cellOf(9, 8, 3)}, far...)
	for _, c := range []struct {
		name   string
		cells  []Cell
		better Better
		want   []Mark
	}{
		{"down", far, Down, []Mark{"", Best, Second, ""}},
		{"up", far, Up, []Mark{Second, "", "", Best}},
		{"one noisy row", noisy, Down, []Mark{"", "", "", "", ""}},
		{"second in the noise", []Cell{cellOf(1, 0.1, 3), cellOf(2, 0.2, 3), cellOf(2.1, 0.2, 3)}, Down, []Mark{Best, "", ""}},
		{"best in the noise", []Cell{cellOf(1, 0.5, 3), cellOf(1.1, 0.5, 3), cellOf(9, 0.1, 3)}, Down, []Mark{"", "", ""}},
		{"equal best", []Cell{cellOf(2, 0.1, 3), cellOf(1, 0.1, 3), cellOf(1, 0.2, 3), cellOf(3, 0.1, 3)}, Down, []Mark{"", Best, Best, ""}},
		{"all equal", []Cell{cellOf(2, 0, 3), cellOf(2, 0, 3)}, Down, []Mark{"", ""}},
		{"two rows", []Cell{cellOf(2, 0.1, 3), cellOf(1, 0.1, 3)}, Down, []Mark{"", Best}},
	} {
		if got := ranks(c.cells, c.better); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: found %q, expected %q", c.name, got, c.want)
		}
	}
}

// TestMarks: our rows do not count, a single run leaves its column unmarked, settings have no rank.
func TestMarks(t *testing.T) {
	f := small(t)
	want := map[string]map[string]Mark{"la-v-dsw-kappa0.1": {"cd": Best}, "la-v-dsw": {"cd": Second}}
	if got := f.Marks(); !reflect.DeepEqual(got, want) {
		t.Errorf("found %v, expected %v", got, want)
	}
	f.Cells["la-v-dsw-kappa10"]["cd"] = NewCell(0.0085)
	if got := f.Marks(); len(got) != 0 {
		t.Errorf("a single run: found %v", got)
	}
	f.Cells["la-v-dsw-kappa10"]["cd"] = NewCell(math.NaN(), 0.0085, 0.0085)
	if got := f.Marks(); len(got) != 0 {
		t.Errorf("a run that is not a number: found %v", got)
	}
}

// TestTimesAreNotRanked: the same numbers are marked as a distance, and not as seconds or milliseconds.
func TestTimesAreNotRanked(t *testing.T) {
	f := Results{Table: Table{Rows: []Row{{ID: "a"}, {ID: "b"}, {ID: "c"}}}, Cells: map[string]map[string]Cell{}}
	for key, unit := range map[string]string{"emd": "unsquared, summed over points", "time": "seconds per training epoch", "locate": "milliseconds to find the location"} {
		f.Table.Columns = append(f.Table.Columns, Column{Key: key, Unit: unit, Better: Down})
		for i, id := range []string{"a", "b", "c"} {
			if f.Cells[id] == nil {
				f.Cells[id] = map[string]Cell{}
			}
			f.Cells[id][key] = cellOf(float64(i+1), 0.01, 3)
		}
	}
	want := map[string]map[string]Mark{"a": {"emd": Best}, "b": {"emd": Second}}
	if got := f.Marks(); !reflect.DeepEqual(got, want) {
		t.Errorf("found %v, expected %v", got, want)
	}
}
