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

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
)

// answer asks a question and reads the answer.
func answer[T any](t *testing.T, p *Playground, question string) (out T) {
	t.Helper()
	raw, err := p.Answer([]byte(question))
	if err != nil {
		t.Fatalf("%s: %v", question, err)
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func newPlayground(t *testing.T, questions ...string) *Playground {
	t.Helper()
	p, err := New()
	if err != nil {
		t.Fatal(err)
	}
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
		var err error
		if p.x, err = datasets.New(make([]float32, dim), 1, 1, dim); err != nil {
			t.Fatal(err)
		}
		if p.y, err = datasets.New(v, 1, 1, dim); err != nil {
			t.Fatal(err)
		}
		m := answer[landscape](t, p, `{"op":"landscape","rows":16}`)
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

// TestMean: the mean over the map is what many directions estimate.
func TestMean(t *testing.T) {
	for name, p := range map[string]*Playground{"plane": newPlane(t), "space": newSpace(t)} {
		m := answer[landscape](t, p, `{"op":"landscape","rows":64}`)
		e := answer[estimate](t, p, `{"op":"estimate","distribution":"uniform","slices":2000,"kappa":1,"seed":3}`)
		if math.Abs(m.Mean-e.Value) > 4**e.StdErr {
			t.Errorf("%s: mean %.6f, estimate %.6f +- %.6f", name, m.Mean, e.Value, *e.StdErr)
		}
	}
}

// TestBlur: the mean around a location is what many directions from vMF estimate; its mean over all
// locations is that of the cost, and its range shrinks with kappa.
func TestBlur(t *testing.T) {
	for name, p := range map[string]*Playground{"plane": newPlane(t), "space": newSpace(t)} {
		sharp := answer[landscape](t, p, `{"op":"landscape","rows":64}`)
		before := slices.Max(sharp.Values) - slices.Min(sharp.Values)
		for _, kappa := range []float64{200, 10, 1} {
			m := answer[landscape](t, p, fmt.Sprintf(`{"op":"landscape","rows":64,"kappa":%g}`, kappa))
			var mean float64
			weights := fejer(m.Rows)
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

// TestAscent: a tangent ascent raises the cost, and one slice has no standard error.
func TestAscent(t *testing.T) {
	p := newPlane(t)
	up := answer[path](t, p, `{"op":"ascent","theta":[1,0],"steps":20,"rate":0.05,"tangent":true,"rows":64}`)
	if len(up.Costs) != 21 || up.Costs[20] <= up.Costs[0] || up.Costs[20] > 1.001*up.Largest {
		t.Errorf("expected costs of 21 locations that rise to at most %g, found %v", up.Largest, up.Costs)
	}
	if e := answer[estimate](t, p, `{"op":"estimate","distribution":"vmf","theta":[1,0],"slices":1,"kappa":5}`); e.StdErr != nil {
		t.Errorf("one slice: expected no standard error, found %v", *e.StdErr)
	}
}

// TestAscentMean: the values of an ascent on the mean around θ are those means, not the costs of the
// locations.
func TestAscentMean(t *testing.T) {
	for name, p := range map[string]*Playground{"plane": newPlane(t), "space": newSpace(t)} {
		theta := map[int]string{2: "[0.6,0.8]", 3: "[0.6,0,0.8]"}[p.x.Dim]
		up := answer[path](t, p, `{"op":"ascent","theta":`+theta+`,"steps":30,"rate":0.05,"tangent":true,"slices":30,"kappa":5,"rows":64}`)
		for _, k := range []int{0, 30} {
			at, _ := json.Marshal(up.Locations[k*p.x.Dim : (k+1)*p.x.Dim])
			e := answer[estimate](t, p, fmt.Sprintf(`{"op":"estimate","distribution":"vmf","theta":%s,"slices":4000,"kappa":5,"seed":7}`, at))
			if math.Abs(up.Costs[k]-e.Value) > 4**e.StdErr {
				t.Errorf("%s, location %d: %g, estimate %g +- %g", name, k, up.Costs[k], e.Value, *e.StdErr)
			}
		}
		if up.Costs[30] <= up.Costs[0] || up.Costs[30] > 1.001*up.Largest {
			t.Errorf("%s: from %g to %g, expected a rise to at most %g", name, up.Costs[0], up.Costs[30], up.Largest)
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
	if err := os.WriteFile(small, []byte("0,0,0\n1,0,0\n0,1,0\n0,0,1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	raw, _ := json.Marshal(small)
	both := answer[pair](t, p, `{"op":"cloud","which":"y","path":`+string(raw)+`}`)
	if both.Points != 4 || len(both.X) != 12 || len(both.Y) != 12 {
		t.Errorf("expected two clouds of 4 points, found %d, %d and %d numbers", both.Points, len(both.X), len(both.Y))
	}
	if d := answer[prediction](t, p, `{"op":"predict","name":"la"}`); d.Trained {
		t.Error("4 points: expected initial weights")
	}
}

// TestFlow: the second cloud comes closer, and a restart brings it back.
func TestFlow(t *testing.T) {
	p := newPlane(t)
	before := append([]float32(nil), p.y.Coords...)
	f := answer[frames](t, p, `{"op":"flow","distribution":"uniform","kappa":1,"slices":20,"steps":3,"rate":1}`)
	if len(f.Losses) != 4 || f.EMD[1] >= f.EMD[0] || f.Losses[3] >= f.Losses[0] {
		t.Errorf("expected distances that fall, found %v and %v", f.Losses, f.EMD)
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
		`{"op":"landscape","rows":3}`:                                 "even",
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
