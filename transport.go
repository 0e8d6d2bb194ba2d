package lab

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/sliced-wasserstein/lab/internal/client"
)

// Plan is where mass moves: what the directions of a distance say about transport in space (package swlab/plan), or the
// optimal plan.
type Plan struct {
	Name         string
	Costs        []float64    // of every direction's plan: the mean squared distance that mass moves
	Cost         float64      // the smallest: an upper bound of W₂²
	ExpectedCost float64      // of the mean of the plans
	Rows         [][3]float64 // of the best plan: row of x, row of y, mass
	direction    []float64    // of the best plan; nil where it is of none
	found        *client.Found
	x, y         *Clouds
}

// Plan lifts the matching of every direction to space, for one pair of clouds; with a direction, only its matching. An
// [EMD] has the optimal plan.
func (d *Distance) Plan(theta ...float64) *Plan {
	if d.x.Count != 1 || !d.found.Has("directions") && theta == nil && d.name != "emd-exact" {
		client.Fail(errors.New("plan: expected a distance of one pair of clouds by directions, or EMD"))
	}
	r := client.New("plan", d.x.input("x"), d.y.input("y"))
	for _, in := range d.found.Request.Inputs {
		if in.Name == "mass_x" || in.Name == "mass_y" {
			r.Inputs = append(r.Inputs, in)
		}
	}
	p := &Plan{x: d.x, y: d.y}
	flat := d.Directions()
	switch {
	case theta != nil:
		p.Name = "one direction"
		r.Inputs = append(r.Inputs, client.Raw("directions", theta, len(theta)/d.x.Dim, d.x.Dim))
	case d.found.Has("directions"):
		p.Name = fmt.Sprintf("best of %d directions", len(flat)/d.x.Dim)
		r.Inputs = append(r.Inputs, client.Raw("directions", flat, len(flat)/d.x.Dim, d.x.Dim))
	default:
		p.Name = "optimal plan"
		r.Function, r.Settings["p"] = "emd", "2"
		p.found = client.Ask(r)
		n := float64(d.x.Points)
		p.Cost = p.found.Number("cost") / n
		p.ExpectedCost = p.Cost
		for i, j := range client.Values[int32](p.found, "match") {
			p.Rows = append(p.Rows, [3]float64{float64(i), float64(j), 1 / n})
		}
		return p
	}
	f := client.Ask(r)
	p.found, p.Costs, p.Cost, p.ExpectedCost = f, client.Values[float64](f, "costs"), f.Number("cost"), f.Number("expected_cost")
	p.Rows = planRows(f, "plan")
	best := slices.Index(p.Costs, slices.Min(p.Costs)) * d.x.Dim
	for k := range d.x.Dim {
		if theta != nil {
			p.direction = append(p.direction, theta[best+k])
		} else {
			p.direction = append(p.direction, float64(flat[best+k]))
		}
	}
	return p
}

func planRows(f *client.Found, name string) (rows [][3]float64) {
	for row := range slices.Chunk(client.Values[float64](f, name), 3) {
		rows = append(rows, [3]float64(row))
	}
	return rows
}

// Move moves every point of X along a line to its partner in a plan of clouds of equally many points: a cloud for each time,
// from 0 to 1.
func (p *Plan) Move(times ...float64) *Clouds {
	a, b, d := p.x.Coordinates(), p.y.Coordinates(), p.x.Dim
	out := make([]float32, 0, len(times)*len(a))
	for _, t := range times {
		now := slices.Clone(a)
		for _, row := range p.Rows {
			i, j := int(row[0])*d, int(row[1])*d
			for k := range d {
				now[i+k] = float32((1-t)*float64(a[i+k]) + t*float64(b[j+k]))
			}
		}
		out = append(out, now...)
	}
	return made("", out, len(times), p.x.Points, d)
}

// Expected is the mean of the plans of all directions.
func (p *Plan) Expected() *Plan {
	q := *p
	q.direction = nil
	if q.Cost = p.ExpectedCost; p.found.Has("expected_plan") {
		q.Name = fmt.Sprintf("expected plan of %d directions", len(p.Costs))
		q.Rows = planRows(p.found, "expected_plan")
	}
	return &q
}

func (p *Plan) String() string {
	if p.Costs == nil {
		return fmt.Sprintf("optimal plan: cost %.6g, W₂ = %.6g", p.Cost, math.Sqrt(p.Cost))
	}
	return fmt.Sprintf("best plan of %d directions: cost %.6g, W₂ at most %.6g; expected plan: cost %.6g", len(p.Costs), p.Cost,
		math.Sqrt(p.Cost), p.ExpectedCost)
}

// Show shows the costs.
func (p *Plan) Show() { client.Show(p.String()) }

// Plot draws the plan of clouds of the plane.
func (p *Plan) Plot() *Picture { return Plans(p) }

// Plans draws plans of clouds of the plane side by side, each with an arrow along its direction.
func Plans(plans ...*Plan) *Picture {
	var in []client.Input
	var titles []string
	for i, p := range plans {
		k := strconv.Itoa(i)
		titles = append(titles, fmt.Sprintf("%s: cost %.3g", p.Name, p.Cost))
		flat := slices.Concat(arrays(p.Rows)...)
		in = append(in, p.x.input("x"+k), p.y.input("y"+k), client.Raw("plan"+k, flat, len(p.Rows), 3))
		if p.direction != nil {
			in = append(in, client.Raw("theta"+k, p.direction, len(p.direction)))
		}
	}
	return drawTitled("plans", titles, nil, in...)
}

func arrays(rows [][3]float64) (out [][]float64) {
	for _, r := range rows {
		out = append(out, r[:])
	}
	return out
}

// drawTitled draws with titles of rows or panels and, unless they are nil, of columns.
func drawTitled(kind string, titles, columns []string, in ...client.Input) *Picture {
	settings := map[string]string{}
	for name, list := range map[string][]string{"labels": titles, "columns": columns} {
		if list == nil {
			continue
		}
		text, err := json.Marshal(list)
		client.Check(err)
		settings[name] = string(text)
	}
	return draw(kind, settings, in...)
}

// again asks for the distance with one more of its answers.
func (d *Distance) again(what string) *client.Found {
	r := d.found.Request
	r.Settings = maps.Clone(r.Settings)
	r.Settings[what] = "true"
	return client.Ask(r)
}

// Bracket are bounds of W₂ between the clouds, the root with a mean over points, that the distance's directions prove; see
// swlab.Bracket.
func (d *Distance) Bracket() (low, high float64) {
	f := d.again("bracket")
	return f.Number("bracket_low"), f.Number("bracket_high")
}

// Population is the distance with the 95 % interval of SW₂² between the distributions that the points are draws of, where
// the distance's own covers the directions alone; see swlab.Population. NaN where there is none.
func (d *Distance) Population() *Distance {
	f := d.again("population")
	p := *d
	p.StdErr, p.Low, p.High, p.Warnings = math.NaN(), math.NaN(), math.NaN(), f.Warnings()
	if f.Has("population_low") {
		p.StdErr, p.Low, p.High = f.Number("population_stderr"), f.Number("population_low"), f.Number("population_high")
	}
	return &p
}

// Marginal are the costs of each further pair of points that partial-sw matches; nil for other distances.
func (d *Distance) Marginal() []float64 {
	if !d.found.Has("marginal_costs") {
		return nil
	}
	return client.Values[float64](d.found, "marginal_costs")
}

// Masses of the points of x and y, divided by their sum.
func MassX(m []float64) Option { return Option{name: "mass_x", numbers: m} }
func MassY(m []float64) Option { return Option{name: "mass_y", numbers: m} }

// TwoSample is what [TwoSampleTest] has found.
type TwoSample struct {
	PValue, StdErr float64 // and the error of PValue by chance
	Statistic      float64
}

// TwoSampleTest tests whether the points of x and y are draws of one distribution; see swlab.TwoSampleTest.
func TwoSampleTest(x, y *Clouds, o ...Option) *TwoSample {
	f := call("two_sample_test", o, x.input("x"), y.input("y"))
	return &TwoSample{PValue: f.Number("p_value"), StdErr: f.Number("p_value_stderr"), Statistic: f.Number("statistic")}
}

func (t *TwoSample) String() string {
	return fmt.Sprintf("p = %v, statistic %.4g", Value{t.PValue, t.StdErr}, t.Statistic)
}

// Together puts clouds of one size and dimension into one set.
func Together(clouds ...*Clouds) *Clouds {
	var flat []float32
	n := 0
	for i, c := range clouds {
		if c.Points != clouds[0].Points || c.Dim != clouds[0].Dim {
			client.Fail(fmt.Errorf("together: cloud %d has %d points in dimension %d, expected %d in dimension %d as the first has",
				i, c.Points, c.Dim, clouds[0].Points, clouds[0].Dim))
		}
		n += c.Count
		flat = append(flat, c.Coordinates()...)
	}
	if n == 0 {
		client.Fail(errors.New("together: expected at least one cloud"))
	}
	return made("", flat, n, clouds[0].Points, clouds[0].Dim)
}

// Barycenter is the cloud whose mean sliced distance to the clouds of a set is least; see align.Barycenter. A cloud that
// is in the set k times weighs k times as much.
func Barycenter(set *Clouds, o ...Option) *Clouds {
	f := call("barycenter", append([]Option{Set("loss", "sw")}, o...), set.input("clouds"))
	n := f.Shape("points")[0]
	return made("", (&Clouds{found: f, points: "points"}).Coordinates(), 1, n, set.Dim)
}

// Image makes a picture of width × height pixels, as that many points of red, green and blue from 0 to 1. f gets the
// middle of a pixel, x and y from 0 to 1, y upwards.
func Image(width, height int, f func(x, y float64) [3]float64) *Clouds {
	var flat []float64
	for row := range height {
		for col := range width {
			c := f((float64(col)+0.5)/float64(width), 1-(float64(row)+0.5)/float64(height))
			flat = append(flat, c[:]...)
		}
	}
	return made("", flat, height, width, 3)
}

// Recolor moves the colours of the picture to those of another; see align.Colors.
func (c *Clouds) Recolor(to *Clouds, o ...Option) *Clouds {
	f := call("color", o, c.input("source"), to.input("to"))
	return &Clouds{Count: c.Count, Points: c.Points, Dim: 3, found: f, points: "picture"}
}

// Images draws pictures side by side.
func Images(titles []string, pictures ...*Clouds) *Picture {
	return drawTitled("images", titles, nil, numbered(pictures)...)
}

// GreatCircles draws slices of spherical sliced Wasserstein: two clouds of unit vectors of space, and their points moved to the
// great circle around each of the axes, a sphere for each. Above it stands their W₂ on the circle, of single points their angle.
func GreatCircles(x, y *Clouds, axes ...[]float64) *Picture {
	flat := slices.Concat(axes...)
	return draw("great_circles", nil, x.input("x"), y.input("y"), client.Raw("axes", flat, len(flat)/3, 3))
}

func numbered(clouds []*Clouds) (in []client.Input) {
	for i, c := range clouds {
		in = append(in, c.input("x"+strconv.Itoa(i)))
	}
	return in
}

// Sinograms draws the density of projections on every direction of the plane, side by side: of a cloud, or of several, by the
// means of their sorted lists.
func Sinograms(titles []string, sets ...*Clouds) *Picture {
	return drawTitled("sinogram", titles, nil, numbered(sets)...)
}

// Pool puts all points of a set, such as the pixels of a picture, into one cloud.
func (c *Clouds) Pool() *Clouds { return made(c.Name, c.Coordinates(), 1, c.Count*c.Points, c.Dim) }
