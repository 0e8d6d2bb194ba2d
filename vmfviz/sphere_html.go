package vmfviz

import (
	"cmp"
	_ "embed" // for the page
	"encoding/binary"
	"math"

	"github.com/sliced-wasserstein/lab/internal/canvas"
)

//go:embed turning.html
var turningPage string

// turningData is what the script of the page reads.
type turningData struct {
	Title     string         `json:"title,omitempty"`
	Alt       string         `json:"alt"`
	Replace   bool           `json:"replace,omitempty"`
	Azimuth   float64        `json:"azimuth"`
	Elevation float64        `json:"elevation"`
	Colors    []byte         `json:"colors,omitempty"` // 256 × RGB
	Label     string         `json:"label,omitempty"`
	Ticks     []turningTick  `json:"ticks,omitempty"`
	Frames    []turningFrame `json:"frames"`
}

type turningTick struct {
	At   float64 `json:"at"`
	Text string  `json:"text"`
}

type turningFrame struct {
	Caption  string  `json:"caption"`
	Points   string  `json:"points,omitempty"`
	Noise    []byte  `json:"noise,omitempty"` // 16-bit numbers, 65535 for 1
	Kappa    float64 `json:"kappa,omitempty"`
	Path     string  `json:"path,omitempty"`
	Location string  `json:"location,omitempty"`
	Label    string  `json:"label,omitempty"`
	Heat     []byte  `json:"heat,omitempty"` // 2·rows² bytes
	Rows     int     `json:"rows,omitempty"`
}

// SphereHTML returns the picture of [Sphere] as a piece of HTML that turns: by dragging, with the
// arrow keys, and with a slider that steps through the panels, for example one for each kappa. It
// needs no library and no network and holds no element ids, so that a notebook may show it twice.
// Directions are rounded to 16 bits: 1000 points take 8 kB. Options.Columns is not used.
//
// A panel with [VMF] has a second slider, of κ from 0.1 to 1000 with 0 at its left end: the page
// keeps the noise, 1000 rows in 5.3 kB, and draws the samples of each κ from it by the closed form,
// so that one sees the same samples draw together.
//
// Where scripts do not run (a notebook that is not trusted, the preview of a code host) a line of
// text says so and points to the picture above: show the PNG of Sphere with the same arguments
// first. Options.Replace hides it where scripts do run.
func SphereHTML(o SphereOptions, panels ...SpherePanel) (string, error) {
	if err := o.check(panels); err != nil {
		return "", err
	}
	view := o.view(panels)
	scale := newHeatScale(panels)
	d := turningData{
		Title: o.Title, Replace: o.Replace, Azimuth: view.azimuth, Elevation: view.elevation,
		Alt: altText(o.Title, "a unit sphere with directions"), Label: scale.label,
	}
	if scale.colors != nil {
		for i := range 256 {
			c := nrgba(scale.colors[i*(shades-1)/255])
			d.Colors = append(d.Colors, c.R, c.G, c.B)
		}
		for _, t := range marks(scale.lo, scale.hi, 5) {
			d.Ticks = append(d.Ticks, turningTick{scaleTo(scale.lo, scale.hi, t.Value), t.Label})
		}
	}
	for _, p := range panels {
		f := turningFrame{Caption: p.Caption, Points: pack(p.Points), Path: pack(p.Path), Location: pack(p.Location),
			Label: cmp.Or(p.LocationLabel, "ε")}
		if p.VMF != nil {
			f.Kappa = p.VMF.Kappa
			for _, u := range p.VMF.Noise {
				f.Noise = binary.LittleEndian.AppendUint16(f.Noise, uint16(math.Round(65535*float64(u))))
			}
		}
		if p.Heat != nil {
			f.Rows = p.Heat.rows()
			for _, v := range p.Heat.Values {
				f.Heat = append(f.Heat, byte(255*scaleTo(scale.lo, scale.hi, v)+0.5))
			}
		}
		d.Frames = append(d.Frames, f)
	}
	return canvas.Page(turningPage, "This sphere turns where scripts run: run the cell, or trust the notebook. The picture above shows the same.", d)
}

// pack writes directions, made unit vectors.
func pack(v []float32) string {
	var unit []float64
	for _, q := range rows(v, 3) {
		q = q.unit()
		unit = append(unit, q[:]...)
	}
	return canvas.Pack(unit, 1)
}
