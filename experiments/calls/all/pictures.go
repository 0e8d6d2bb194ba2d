package all

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/spatial/r3"
	"gonum.org/v1/gonum/stat"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments"
	"github.com/sliced-wasserstein/lab/experiments/calls"
	"github.com/sliced-wasserstein/lab/experiments/flow"
	"github.com/sliced-wasserstein/lab/swlab/ot1d/solve"
	"github.com/sliced-wasserstein/lab/vmfviz"
	"github.com/sliced-wasserstein/lab/vmfviz/show"
)

// pictureSettings choose a picture.
type pictureSettings struct {
	Kind    string  `json:"kind"`
	Title   string  `json:"title"`
	X       string  `json:"x"`       // of an ablation: the setting to draw along; "": the one with the most numbers
	Y       string  `json:"y"`       // of an ablation: what its values are
	Rows    string  `json:"rows"`    // of an ablation: a JSON list of settings
	Labels  string  `json:"labels"`  // of rows of clouds, a JSON list
	Columns string  `json:"columns"` // of clouds on their way from X to Y, a JSON list
	Kappa   string  `json:"kappa"`   // of a distribution, a list with commas
	StdErr  float64 `json:"stderr"`  // of the mean of the costs of slices
	Blur    string  `json:"blur"`    // of a landscape, see landscapeSettings
	Way     bool    `json:"way"`     // of a landscape: in per cent of the way from its mean to its top, with "paths" [n, 6], starts and ends
	Lines   string  `json:"lines"`   // of curves: a JSON list of curveSettings
	Height  int     `json:"height"`
	Out     string  `json:"out"` // file to save
}

// drawings are the kinds of pictures.
var drawings = map[string]func(*calls.Request, pictureSettings) (*vmfviz.Picture, error){
	"slice": drawSlice, "turn": drawSlice, "landscape": drawLandscape, "clouds": drawClouds, "sphere": drawSphere, "ablation": drawAblation,
	"curves": drawCurves, "matchings": drawMatchings, "vmf": drawVMF, "flows": drawFlows, "differences": drawDifferences, "looks": drawLooks,
	"plans": drawPlans, "images": drawImages, "sinogram": drawSinogram, "great_circles": drawGreatCircles,
}

func draw(r *calls.Request) (*vmfviz.Picture, pictureSettings, error) {
	var s pictureSettings
	if err := r.Apply(&s); err != nil {
		return nil, s, err
	}
	draw, ok := drawings[s.Kind]
	if !ok {
		return nil, s, fmt.Errorf("kind: unknown picture %q", s.Kind)
	}
	p, err := draw(r, s)
	return p, s, err
}

// picture answers with a picture as HTML.
func picture(r *calls.Request, a *calls.Answer) error {
	p, s, err := draw(r)
	if err != nil {
		return err
	}
	raw, err := p.PNG()
	if err != nil {
		return err
	}
	width, _ := p.Size()
	a.Text = map[string]string{"alt": p.Alt, "html": show.Image(raw, p.Alt, width), "width": strconv.Itoa(width)}
	a.Arrays = []calls.Array{{Name: "png", DType: "uint8", Shape: []int{len(raw)}, Values: raw}}
	if films := map[string]func(*calls.Request, pictureSettings) ([]flow.Film, error){"flows": films, "looks": looks}[s.Kind]; films != nil {
		films, err := films(r, s)
		if err != nil {
			return err
		}
		a.Text["turns"], err = flow.Animation(films...)
		return err
	}
	if s.Kind == "vmf" {
		panels, err := vmf(r, s)
		if err != nil {
			return err
		}
		a.Text["turns"], err = vmfviz.SphereHTML(vmfviz.SphereOptions{Title: s.Title, Replace: true}, panels[0])
		return err
	}
	if s.Kind == "turn" {
		a.Text["turns"], err = turns(r)
	}
	return err
}

// save writes a picture to a file.
func save(r *calls.Request, a *calls.Answer) error {
	p, s, err := draw(r)
	if err != nil {
		return err
	}
	path := s.Out
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.Dir, path)
	}
	a.Text = map[string]string{"file": path}
	return p.Save(path)
}

// float32s returns an array of float32, or nil.
func float32s(r *calls.Request, name string) []float32 {
	if a := r.Array(name); a != nil {
		v, _ := a.Values.([]float32)
		return v
	}
	return nil
}

// drawSlice draws the slice along theta or, without it, along the most expensive of directions.
func drawSlice(r *calls.Request, s pictureSettings) (*vmfviz.Picture, error) {
	x, y, err := r.OnePair()
	if err != nil {
		return nil, err
	}
	theta, directions := float32s(r, "theta"), float32s(r, "directions")
	var values []float64
	if n := len(directions) / x.Dim; n > 0 {
		if values, err = experiments.SliceCosts(x, y, directions[:n*x.Dim]); err != nil {
			return nil, err
		}
		if theta == nil {
			i := slices.Index(values, slices.Max(values))
			theta = directions[i*x.Dim : (i+1)*x.Dim]
		}
	}
	unit, err := calls.Unit("theta", theta, x.Dim)
	if err != nil {
		return nil, err
	}
	return vmfviz.Slice(vmfviz.SliceOptions{Convention: vmfviz.MeanOverPoints, StdErr: s.StdErr}, x.Coords, y.Coords, unit, values)
}

// turns is the slice along theta as a view in which the reader turns the direction.
func turns(r *calls.Request) (string, error) {
	x, y, err := r.OnePair()
	if err != nil {
		return "", err
	}
	theta, err := calls.Unit("theta", float32s(r, "theta"), x.Dim)
	if err != nil {
		return "", err
	}
	all, err := experiments.NewLandscape(x, y)
	if err != nil {
		return "", err
	}
	return vmfviz.SliceHTML(vmfviz.SliceOptions{Convention: vmfviz.MeanOverPoints, Replace: true}, x.Coords, y.Coords, theta, all.Values)
}

// drawSphere draws directions and a location.
func drawSphere(r *calls.Request, s pictureSettings) (*vmfviz.Picture, error) {
	p := vmfviz.SpherePanel{Points: float32s(r, "directions")}
	if at := float32s(r, "location"); len(at) >= 3 {
		p.Location = at[:3]
	}
	return vmfviz.Sphere(vmfviz.SphereOptions{Title: s.Title}, p)
}

// drawGreatCircles draws clouds of unit vectors and their nearest points on the great circle around each of "axes", an arrow
// a: discs of one cloud, rings of the other, and their ways. The caption of an axis says W₂ on its circle: of single points, their angle.
func drawGreatCircles(r *calls.Request, s pictureSettings) (*vmfviz.Picture, error) {
	x, y, err := r.OnePair()
	if err != nil {
		return nil, err
	}
	if x.Dim != 3 || y.Dim != 3 {
		return nil, fmt.Errorf("great circles: expected clouds of space, found dimensions %d and %d", x.Dim, y.Dim)
	}
	var panels []vmfviz.SpherePanel
	axes, _ := r.Wide("axes")
	for axis := range slices.Chunk(axes, 3) {
		w := r3.Unit(r3.Vec{X: axis[0], Y: axis[1], Z: axis[2]})
		p := vmfviz.SpherePanel{Location: []float32{float32(w.X), float32(w.Y), float32(w.Z)}, LocationLabel: "a"}
		add := func(group int, v r3.Vec) {
			p.Points, p.Groups = append(p.Points, float32(v.X), float32(v.Y), float32(v.Z)), append(p.Groups, group)
		}
		turn := func(group int, v, around r3.Vec, steps int) {
			for k := range steps {
				add(group, r3.Rotate(v, 2*math.Pi*float64(k)/float64(steps), around))
			}
		}
		across := r3.Unit(r3.Cross(w, r3.Vec{X: float64(x.Coords[0]), Y: float64(x.Coords[1]), Z: float64(x.Coords[2])}))
		turn(2, across, w, 500)
		var places [2][]float64 // on the circle, in turns
		for group, points := range [][]float32{x.Coords, y.Coords} {
			for v := range slices.Chunk(points, 3) {
				from := r3.Vec{X: float64(v[0]), Y: float64(v[1]), Z: float64(v[2])}
				to := r3.Unit(r3.Sub(from, r3.Scale(r3.Dot(from, w), w)))
				places[group] = append(places[group], math.Atan2(r3.Dot(to, across), r3.Dot(to, r3.Cross(across, w)))/(2*math.Pi))
				for t := range 100 {
					way := r3.Unit(r3.Add(from, r3.Scale(float64(t)/100, r3.Sub(to, from))))
					if max(r3.Dot(way, from), r3.Dot(way, to)) < math.Cos(0.1) {
						add(group, way)
					}
				}
				for _, centre := range []r3.Vec{from, to} {
					beside := r3.Unit(r3.Cross(centre, w))
					for width := range 5 {
						angle := 0.01 + 0.01*float64(width) + 0.07*float64(group)
						turn(group, r3.Unit(r3.Add(centre, r3.Scale(angle, beside))), centre, 90)
					}
				}
			}
		}
		cost, err := solve.Circle(solve.Points{At: places[0]}, solve.Points{At: places[1]}, 2)
		if err != nil {
			return nil, err
		}
		p.Caption = fmt.Sprintf("%.0f° apart on the circle", 360*math.Sqrt(cost.Cost))
		if x.Points > 1 || y.Points > 1 {
			p.Caption = fmt.Sprintf("W₂ on the circle: %.0f°", 360*math.Sqrt(cost.Cost))
		}
		panels = append(panels, p)
	}
	return vmfviz.Sphere(vmfviz.SphereOptions{Title: s.Title}, panels...)
}

// drawClouds draws the clouds of each array as a row.
func drawClouds(r *calls.Request, s pictureSettings) (*vmfviz.Picture, error) {
	const most = 6
	labels, err := s.names()
	if err != nil {
		return nil, err
	}
	var rows []vmfviz.CloudRow
	var sets []*datasets.Set
	for i := range r.Arrays {
		set, err := r.Clouds(r.Arrays[i].Name)
		if err != nil {
			return nil, err
		}
		sets = append(sets, set)
	}
	for i, set := range datasets.Together(sets...) {
		row := vmfviz.CloudRow{}
		if i < len(labels) {
			row.Caption = labels[i]
		}
		for c := range min(most, set.Clouds) {
			row.Clouds = append(row.Clouds, inSpace(set.Cloud(c*set.Clouds/min(most, set.Clouds)), set.Dim))
		}
		rows = append(rows, row)
	}
	o := vmfviz.CloudsOptions{Title: s.Title}
	if s.Columns != "" {
		if err := json.Unmarshal([]byte(s.Columns), &o.Columns); err != nil {
			return nil, fmt.Errorf("columns: %w", err)
		}
		for i := range rows {
			rows[i].Role, rows[i].To = vmfviz.Input, vmfviz.Output
		}
	}
	if len(rows) > 0 && len(rows[0].Clouds) > 3 {
		o.Cell = 100 // as large on a telephone
	}
	if len(sets) > 0 && sets[0].Dim == 2 {
		o.View = vmfviz.From(0, 0)
	}
	return vmfviz.Clouds(o, rows...)
}

// drawDifferences draws intervals of differences from a reference, in per cent.
func drawDifferences(r *calls.Request, s pictureSettings) (*vmfviz.Picture, error) {
	var rows []struct {
		Label     string
		Low, High float64
		Repeats   []float64
	}
	if err := json.Unmarshal([]byte(s.Rows), &rows); err != nil {
		return nil, fmt.Errorf("rows: %w", err)
	}
	var lines []vmfviz.Difference
	for _, row := range rows {
		lines = append(lines, vmfviz.Difference{Label: row.Label, Value: (row.Low + row.High) / 2, Half: (row.High - row.Low) / 2, Repeats: row.Repeats})
	}
	return vmfviz.Differences(vmfviz.DifferencesOptions{Title: s.Title, Quantity: s.X, Reference: s.Y, Number: "reference", Ends: true}, lines...)
}

// inSpace gives points of the plane a third coordinate 0.
func inSpace(points []float32, dim int) []float32 {
	if dim == 3 {
		return points
	}
	out := make([]float32, 0, 3*len(points)/dim)
	for i := 0; i < len(points); i += dim {
		out = append(out, points[i], points[i+1], 0)
	}
	return out
}

// vmf are spheres, one for every κ, with 400 directions around a location, which follow κ.
func vmf(r *calls.Request, s pictureSettings) (panels []vmfviz.SpherePanel, err error) {
	at, _ := r.Wide("location")
	if len(at) != 3 || floats.Norm(at, 2) == 0 {
		return nil, fmt.Errorf("location: expected a direction of 3 coordinates other than 0, found %v", at)
	}
	var location, noise []float32
	for _, v := range at {
		location = append(location, float32(v/floats.Norm(at, 2)))
	}
	random := rand.New(rand.NewPCG(r.Seed, 8))
	for range 2 * 400 {
		noise = append(noise, random.Float32())
	}
	for text := range strings.SplitSeq(s.Kappa, ",") {
		kappa, err := strconv.ParseFloat(text, 64)
		if err != nil || kappa < 0 {
			return nil, fmt.Errorf("kappa: expected numbers not below 0, found %q", s.Kappa)
		}
		panels = append(panels, vmfviz.SpherePanel{VMF: &vmfviz.VMF{Kappa: kappa, Noise: noise}, Location: location})
	}
	return panels, nil
}

func drawVMF(r *calls.Request, s pictureSettings) (*vmfviz.Picture, error) {
	panels, err := vmf(r, s)
	if err != nil {
		return nil, err
	}
	for i, p := range panels {
		far := 0
		for k := 0; k < len(p.VMF.Noise); k += 2 {
			if float64(p.VMF.Noise[k]) < 1/(1+math.Exp(p.VMF.Kappa)) { // then ε·θ < 0
				far++
			}
		}
		panels[i].Caption = fmt.Sprintf("%.3g %% on the far side", 200*float64(far)/float64(len(p.VMF.Noise)))
	}
	return vmfviz.Sphere(vmfviz.SphereOptions{Title: s.Title}, panels...)
}

// drawAblation draws the means of the "values" [rows, seeds] of an ablation against one setting, a curve for every
// combination of the others, in a band of one standard deviation.
func drawAblation(r *calls.Request, s pictureSettings) (*vmfviz.Picture, error) {
	var rows []map[string]string
	if err := json.Unmarshal([]byte(s.Rows), &rows); err != nil {
		return nil, fmt.Errorf("rows: %w", err)
	}
	values := r.Array("values")
	if values == nil || len(values.Shape) != 2 || values.Shape[0] != len(rows) {
		return nil, fmt.Errorf("values: expected an array [%d, seeds]", len(rows))
	}
	seeds, all := values.Shape[1], values.Values.([]float64)
	numbers := map[string]map[float64]bool{} // of every setting
	names := map[string]bool{}
	for _, row := range rows {
		for name, text := range row {
			names[name] = true
			if v, err := strconv.ParseFloat(text, 64); err == nil {
				if numbers[name] == nil {
					numbers[name] = map[float64]bool{}
				}
				numbers[name][v] = true
			}
		}
	}
	sorted := slices.Sorted(maps.Keys(names))
	if s.X == "" {
		for _, name := range sorted {
			if len(numbers[name]) > len(numbers[s.X]) {
				s.X = name
			}
		}
	}
	if len(numbers[s.X]) == 0 {
		return nil, fmt.Errorf("curves: expected a setting with numbers to draw along, found %q; the ablation varies %s",
			s.X, strings.Join(sorted, ", "))
	}
	panel := vmfviz.CurvePanel{XLabel: s.X, YLabel: s.Y, LogX: len(numbers[s.X]) > 2}
	at := map[string]int{}
	var order []int // rows by their number; those of a loss that does not read the setting are left out
	place := make([]float64, len(rows))
	for i, row := range rows {
		var err error
		if place[i], err = strconv.ParseFloat(row[s.X], 64); err == nil {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(place[i], place[j]) })
	for _, i := range order {
		row, x := rows[i], place[i]
		panel.LogX = panel.LogX && x > 0
		var label []string
		for _, name := range sorted {
			if text, has := row[name]; has && name != s.X {
				label = append(label, name+" "+text)
			}
		}
		key := strings.Join(label, ", ")
		if _, has := at[key]; !has {
			at[key] = len(panel.Series)
			panel.Series = append(panel.Series, vmfviz.Series{Label: key})
		}
		c := &panel.Series[at[key]]
		mean, sd := stat.MeanStdDev(all[i*seeds:(i+1)*seeds], nil)
		c.X, c.Y = append(c.X, x), append(c.Y, mean)
		if seeds > 1 {
			c.Low, c.High = append(c.Low, mean-sd), append(c.High, mean+sd)
		}
	}
	return vmfviz.Curves(vmfviz.CurvesOptions{Title: s.Title}, panel)
}
