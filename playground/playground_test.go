package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
)

// answer asks a question and reads the answer.
func answer[T any](t *testing.T, p *Playground, question string) (out T) {
	t.Helper()
	raw, err := p.Answer([]byte(question))
	if err != nil {
		t.Fatalf("%s: %v", question, err)
	}
	must.M(json.Unmarshal(raw, &out))
	return out
}

func newPlayground(t *testing.T, questions ...string) *Playground {
	t.Helper()
	p := must.M1(New())
	t.Cleanup(p.engine.Close)
	for _, q := range questions {
		answer[pair](t, p, q)
	}
	return p
}

func newSpace(t *testing.T) *Playground {
	return newPlayground(t, `{"op":"cloud","which":"x","dim":3,"shape":"chair","seed":1}`, `{"op":"cloud","which":"y","dim":3,"shape":"teapot","seed":1}`)
}

func newPlane(t *testing.T) *Playground {
	return newPlayground(t, `{"op":"cloud","which":"x","dim":2,"shape":"ring","seed":1}`, `{"op":"cloud","which":"y","dim":2,"shape":"moons","seed":2}`)
}

// small keeps 60 points of each cloud: an ascent in a graph costs their square.
func small(t *testing.T, p *Playground) *Playground {
	t.Helper()
	for _, c := range []**datasets.Set{&p.x, &p.y} {
		*c = must.M1((*c).Subset(60, 0))
	}
	return p
}

// near fails unless the numbers agree to a relative error.
func near(t *testing.T, what string, found, expected, relative float64) {
	t.Helper()
	if !(math.Abs(found-expected) <= relative*math.Abs(expected)) {
		t.Errorf("%s: expected %.9g, found %.9g", what, expected, found)
	}
}

// TestSlice: the matching that the page draws has the cost that the library finds.
func TestSlice(t *testing.T) {
	c := answer[cut](t, newSpace(t), `{"op":"slice","theta":[0.6,0,0.8]}`)
	var sum float64
	for rank := range c.XOrder {
		d := c.X[c.XOrder[rank]] - c.Y[c.YOrder[rank]]
		sum += d * d / float64(len(c.X))
	}
	near(t, "mean over matched pairs", sum, c.Cost, 1e-9)
}

// TestLandscape: clouds of one point at a distance v have F = (theta v)^2, whose mean is |v|^2 / d.
func TestLandscape(t *testing.T) {
	for dim, v := range map[int][]float32{2: {1, 2}, 3: {1, 2, 0.5}} {
		p := newPlayground(t)
		p.x = must.M1(datasets.New(make([]float32, dim), 1, 1, dim))
		p.y = must.M1(datasets.New(v, 1, 1, dim))
		m := answer[landscape](t, p, `{"op":"landscape"}`)
		var square float64
		for _, c := range v {
			square += float64(c) * float64(c)
		}
		near(t, "mean", m.Mean, square/float64(dim), 1e-6)
		for i, value := range m.Values {
			var along float64
			for k, c := range m.direction(i) {
				along += float64(c) * float64(v[k])
			}
			if math.Abs(value-along*along) > 1e-5 {
				t.Fatalf("%d-D, direction %d: expected %.6f, found %.6f", dim, i, along*along, value)
			}
		}
	}
}

// TestBlur: the mean around a location is what many directions from vMF estimate; its mean over all
// locations is that of the cost, and its range shrinks with kappa.
func TestBlur(t *testing.T) {
	for name, p := range map[string]*Playground{"plane": newPlane(t), "space": newSpace(t)} {
		sharp := answer[landscape](t, p, `{"op":"landscape"}`)
		before := slices.Max(sharp.Values) - slices.Min(sharp.Values)
		for _, kappa := range []float64{200, 10, 1} {
			m := answer[landscape](t, p, fmt.Sprintf(`{"op":"landscape","kappa":%g}`, kappa))
			var mean float64
			weights := experiments.Fejer(m.Rows)
			for i, v := range m.Values {
				mean += v * weights[i/m.Columns] / float64(m.Columns)
			}
			near(t, fmt.Sprintf("%s, kappa %g: mean", name, kappa), mean, sharp.Mean, 2e-3)
			if now := slices.Max(m.Values) - slices.Min(m.Values); now >= before {
				t.Errorf("%s, kappa %g: the range %g does not shrink from %g", name, kappa, now, before)
			} else {
				before = now
			}
			for _, i := range []int{0, m.half() / 3, m.half() - 1} {
				at, _ := json.Marshal(m.direction(i))
				e := answer[estimate](t, p, fmt.Sprintf(`{"op":"estimate","distribution":"vmf","theta":%s,"slices":4000,"kappa":%g,"seed":7}`, at, kappa))
				if math.Abs(m.Values[i]-e.Value) > 4**e.StdErr {
					t.Errorf("%s, kappa %g, direction %d: %g, estimate %g +- %g", name, kappa, i, m.Values[i], e.Value, *e.StdErr)
				}
			}
		}
	}
}

// TestOneQuantity: what the page shows of a direction is one function, F or J, with its mean and its
// extremes around it, also along the path of an ascent, whose end lies between the map's directions.
// The ascent raises it.
func TestOneQuantity(t *testing.T) {
	for name, p := range map[string]*Playground{"plane": small(t, newPlane(t)), "space": small(t, newSpace(t))} {
		start := map[int]string{2: "[0.6,0.8]", 3: "[0.6,0,0.8]"}[p.x.Dim]
		for kappa, objective := range map[float64]int{0: 0, 1: 30, 10: 30, 1000: 30} {
			m := answer[landscape](t, p, fmt.Sprintf(`{"op":"landscape","kappa":%g}`, kappa))
			up := answer[path](t, p, fmt.Sprintf(`{"op":"ascent","theta":%s,"steps":12,"rate":0.05,"tangent":true,"slices":%d,"kappa":%g}`, start, objective, kappa))
			if up.Largest < slices.Max(up.Values) || up.Largest < slices.Max(m.Values) || up.Values[12] <= up.Values[0] {
				t.Errorf("%s, kappa %g: the largest %g is below the path %v or the map, or the path does not rise", name, kappa, up.Largest, up.Values)
			}
			directions := append(slices.Clone(up.Locations), m.Highest...)
			for i := range len(directions) / p.x.Dim {
				theta := directions[i*p.x.Dim : (i+1)*p.x.Dim]
				at, _ := json.Marshal(theta)
				c := answer[cut](t, p, fmt.Sprintf(`{"op":"slice","theta":%s,"kappa":%g}`, at, kappa))
				if !(c.Smallest <= c.Value && c.Value <= c.Largest && c.Smallest < c.Mean && c.Mean < c.Largest) || c.Mean != m.Mean {
					t.Errorf("%s, kappa %g, direction %v: %g is not from %g to %g around %g", name, kappa, theta, c.Value, c.Smallest, c.Largest, c.Mean)
				}
				if kappa == 0 && c.Value != c.Cost {
					t.Errorf("%s, direction %v: expected F %g, found %g", name, theta, c.Cost, c.Value)
				}
				if i < len(up.Values) {
					near(t, name+": the ascent's objective", up.Values[i], c.Value, 1e-12)
				} else {
					near(t, name+": the highest", c.Value, slices.Max(m.Values), 1e-6)
				}
			}
		}
	}
}

// TestMapIsFine: the mean over the directions of the map has the four digits that the page shows.
func TestMapIsFine(t *testing.T) {
	for name, p := range map[string]*Playground{"plane": newPlane(t), "space": newSpace(t)} {
		m := answer[landscape](t, p, `{"op":"landscape"}`)
		fine := landscape{Rows: 1, Columns: 7200}
		if p.x.Dim == 3 {
			fine = landscape{Rows: 320, Columns: 640}
		}
		var directions []float32
		for i := range fine.half() {
			directions = append(directions, fine.direction(i)...)
		}
		costs := must.M1(p.costs(directions))
		mean, weights := 0.0, experiments.Fejer(fine.Rows)
		for i, c := range costs {
			mean += c * weights[i/fine.Columns] * 2 / float64(fine.Columns)
		}
		near(t, name+": mean", m.Mean, mean, 5e-5)
	}
}

// TestAround: J of a direction between those of the map is what many directions estimate, and one
// slice has no standard error.
func TestAround(t *testing.T) {
	for theta, p := range map[string]*Playground{"[0.6,0.8]": newPlane(t), "[0.6,0,0.8]": newSpace(t)} {
		j := answer[cut](t, p, fmt.Sprintf(`{"op":"slice","theta":%s,"kappa":5}`, theta)).Value
		question := `{"op":"estimate","distribution":"vmf","theta":` + theta + `,"slices":%d,"kappa":5,"seed":7}`
		if e := answer[estimate](t, p, fmt.Sprintf(question, 4000)); math.Abs(j-e.Value) > 4**e.StdErr {
			t.Errorf("direction %s: %g, estimate %g +- %g", theta, j, e.Value, *e.StdErr)
		}
		if e := answer[estimate](t, p, fmt.Sprintf(question, 1)); e.StdErr != nil {
			t.Errorf("one slice: expected no standard error, found %v", *e.StdErr)
		}
	}
}

// TestEqualClouds: every number of equal clouds is 0, not NaN.
func TestEqualClouds(t *testing.T) {
	p := newPlane(t)
	p.y = p.x
	m := answer[landscape](t, p, `{"op":"landscape"}`)
	c := answer[cut](t, p, `{"op":"slice","theta":[0.6,0.8],"kappa":10}`)
	e := answer[estimate](t, p, `{"op":"estimate","distribution":"uniform","slices":20,"kappa":1}`)
	up := answer[path](t, p, `{"op":"ascent","theta":[1,0],"steps":2,"rate":0.05,"tangent":true}`)
	f := answer[frames](t, p, `{"op":"flow","distribution":"uniform","kappa":1,"slices":20,"steps":2,"rate":1}`)
	for _, v := range []float64{m.Costs[1], m.Mean, c.Value, c.Largest, e.Value, *e.StdErr, up.Values[2], up.Largest, f.SW[1], f.EMD[1]} {
		if v != 0 {
			t.Errorf("expected 0, found %g", v)
		}
	}
}

// TestTrainedAmortizers holds what the page says of them: on four pairs, the axes that A, EA, G, LA
// and N predict are within 15 degrees of one another, those of L and of LA on sorted points are not
// within 30.
func TestTrainedAmortizers(t *testing.T) {
	pairs := map[int][][2]string{
		2: {{"ring", "moons"}, {"spiral", "cross"}, {"star", "blobs"}, {"bar", "disc"}},
		3: {{"chair", "teapot"}, {"car", "guitar"}, {"rocket", "bed"}, {"mug", "person"}},
	}
	for dim, shapes := range pairs {
		predicted := map[string][][]float32{}
		for _, s := range shapes {
			p := newPlayground(t, fmt.Sprintf(`{"op":"cloud","which":"x","dim":%d,"shape":%q,"seed":1}`, dim, s[0]),
				fmt.Sprintf(`{"op":"cloud","which":"y","dim":%d,"shape":%q,"seed":1}`, dim, s[1]))
			for _, name := range amortizer.Names() {
				d := answer[prediction](t, p, fmt.Sprintf(`{"op":"predict","name":%q}`, name))
				if !d.Trained {
					t.Fatalf("%s, %d-D: expected trained weights", name, dim)
				}
				predicted[name] = append(predicted[name], d.Theta)
			}
		}
		for name, thetas := range predicted {
			widest := 0.0
			for _, a := range thetas {
				for _, b := range thetas {
					widest = max(widest, angle(a, b))
				}
			}
			if follows := name == "l" || name == "la-sorted"; follows && widest < 30 || !follows && widest > 15 {
				t.Errorf("%s, %d-D: axes differ by up to %.0f degrees", name, dim, widest)
			}
		}
	}
}

// angle is the angle between the axes of two unit vectors in degrees.
func angle(a, b []float32) float64 {
	var sum float64
	for k := range a {
		sum += float64(a[k]) * float64(b[k])
	}
	return 180 / math.Pi * math.Acos(min(1, math.Abs(sum)))
}

// TestPredict: clouds of another size than the trained amortizers' get initial weights.
func TestPredict(t *testing.T) {
	p := newSpace(t)
	small := filepath.Join(t.TempDir(), "small.csv")
	must.M(os.WriteFile(small, []byte("0,0,0\n1,0,0\n0,1,0\n0,0,1\n"), 0o600))
	raw, _ := json.Marshal(small)
	both := answer[pair](t, p, `{"op":"cloud","which":"y","path":`+string(raw)+`}`)
	if both.Points != 4 || len(both.X) != 12 || len(both.Y) != 12 {
		t.Errorf("expected two clouds of 4 points, found %d, %d and %d numbers", both.Points, len(both.X), len(both.Y))
	}
	if d := answer[prediction](t, p, `{"op":"predict","name":"la"}`); d.Trained {
		t.Error("4 points: expected initial weights")
	}
}

// TestFlow: the second cloud comes closer, by distances of one unit, and a restart brings it back.
// Directions around a location are new ones in every step, like all others.
func TestFlow(t *testing.T) {
	p := newPlane(t)
	before := append([]float32(nil), p.y.Coords...)
	first := answer[landscape](t, p, `{"op":"landscape"}`).Mean
	f := answer[frames](t, p, `{"op":"flow","distribution":"uniform","kappa":1,"slices":20,"steps":3,"rate":1}`)
	near(t, "SW_2 at the start", f.SW[0], math.Sqrt(first), 1e-12)
	near(t, "SW_2 at the end", f.SW[1], math.Sqrt(answer[landscape](t, p, `{"op":"landscape"}`).Mean), 1e-12)
	if f.EMD[1] >= f.EMD[0] || f.SW[1] >= f.SW[0] || f.SW[0] > f.EMD[0]/math.Sqrt2 || f.SW[1] > f.EMD[1]/math.Sqrt2 {
		t.Errorf("expected distances that fall, SW_2 at most W_2 over the root of 2, found %v and %v", f.SW, f.EMD)
	}
	twice, steps := newPlane(t), newPlane(t)
	var one frames
	for seed := range 2 {
		one = answer[frames](t, twice, fmt.Sprintf(`{"op":"flow","distribution":"vmf","theta":[1,0],"kappa":1,"slices":20,"steps":1,"rate":1,"seed":%d}`, seed))
	}
	two := answer[frames](t, steps, `{"op":"flow","distribution":"vmf","theta":[1,0],"kappa":1,"slices":20,"steps":2,"rate":1,"seed":0}`)
	if !slices.Equal(one.Points[1], two.Points[1]) {
		t.Error("vmf: two steps are not one step with each seed")
	}
	back := answer[pair](t, p, `{"op":"cloud","which":"restart"}`)
	for i, v := range back.Y {
		if v != before[i] {
			t.Fatalf("restart: number %d: expected %v, found %v", i, before[i], v)
		}
	}
}

// TestStrokes: points of a drawn line lie on it.
func TestStrokes(t *testing.T) {
	both := answer[pair](t, newPlayground(t), `{"op":"cloud","which":"x","dim":2,"strokes":[[[-1,0],[1,0]]],"seed":1}`)
	if len(both.X) != 2*Points {
		t.Fatalf("expected %d numbers, found %d", 2*Points, len(both.X))
	}
	for i := 0; i < len(both.X); i += 2 {
		if math.Abs(float64(both.X[i])) > 1.2 || math.Abs(float64(both.X[i+1])) > 0.2 {
			t.Fatalf("point %d: expected near the line, found %v", i/2, both.X[i:i+2])
		}
	}
}

// TestRefusals: wrong questions are errors that say what was expected.
func TestRefusals(t *testing.T) {
	p := newPlane(t)
	for question, want := range map[string]string{
		`{`:            "request",
		`{"op":"bow"}`: `"bow"`,
		`{"op":"cloud","which":"x","dim":2,"shape":"bow"}`:            `"bow"`,
		`{"op":"cloud","which":"x","dim":3,"shape":"bow"}`:            "bow",
		`{"op":"cloud","which":"x","dim":2,"strokes":[]}`:             "a line",
		`{"op":"cloud","which":"x","dim":2,"strokes":[[[1,2,3]]]}`:    "2 coordinates",
		`{"op":"cloud","which":"x","path":"missing.npy"}`:             "missing.npy",
		`{"op":"landscape","kappa":-1}`:                               "kappa",
		`{"op":"slice","theta":[]}`:                                   "theta",
		`{"op":"estimate","distribution":"bow","slices":3,"kappa":1}`: "bow",
		`{"op":"predict","name":"bow"}`:                               "bow",
	} {
		if _, err := p.Answer([]byte(question)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: expected an error that contains %s, found %v", question, want, err)
		}
	}
	if _, err := newPlayground(t).Answer([]byte(`{"op":"slice","theta":[1,0]}`)); err == nil {
		t.Error("without clouds: expected an error")
	}
}
