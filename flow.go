package lab

import (
	"encoding/json"
	"fmt"
)

// Flows are clouds that moved down the gradients of losses, point by point.
type Flows struct {
	Rows  []Flow
	Steps []int // of W2
	found *found
}

// Flow is one of them.
type Flow struct {
	Label    string
	Settings map[string]string // those that vary
	Losses   []float64         // before every step, and after the last
	W2       []float64         // the exact distance to the target, after Steps
}

// Descend moves the points of a cloud down the gradient of a loss to a target of as many points. Options with several
// values make as many flows; without a loss it is SW. LearningRate is that of the effective step, 0.2 unless given: it is
// divided by the curvature of the loss. Directions are drawn once and kept, but those of v-DSW and with [Fresh].
func Descend(from, to *Clouds, o ...Option) *Flows {
	r := newRequest("flow", nil)
	r.vary(o)
	r.inputs = append(r.inputs, to.input("x"), from.input("y"))
	f := ask(r)
	out := &Flows{found: f}
	var labels []string
	var settings []map[string]string
	check(json.Unmarshal([]byte(f.answer.Text["labels"]), &labels))
	check(json.Unmarshal([]byte(f.answer.Text["rows"]), &settings))
	for _, s := range values[int32](f.array("steps")) {
		out.Steps = append(out.Steps, int(s))
	}
	losses, w2 := values[float64](f.array("losses")), values[float64](f.array("w2"))
	for i, name := range labels {
		n, m := len(losses)/len(labels), len(w2)/len(labels)
		out.Rows = append(out.Rows, Flow{name, settings[i], losses[i*n : (i+1)*n], w2[i*m : (i+1)*m]})
	}
	return out
}

// Fresh draws new directions in every step of a flow.
func Fresh(v ...bool) Option { return option("fresh", v...) }

// Plot draws states of every flow over the target, and plays them in a notebook.
func (f *Flows) Plot() *Picture {
	in := []input{{name: "target", of: f.found, array: "target"}, {name: "w2", of: f.found, array: "w2"},
		{name: "steps", of: f.found, array: "steps"}}
	for i := range f.Rows {
		name := fmt.Sprintf("frames%d", i)
		in = append(in, input{name: name, of: f.found, array: name})
	}
	return draw("flows", map[string]string{"labels": f.found.answer.Text["labels"]}, in...)
}

// Curves draws W₂ to the target against the step, down to a thousandth of the first.
func (f *Flows) Curves() *Picture {
	var all []Data
	for _, r := range f.Rows {
		d := Data{Label: r.Label}
		for i, w := range r.W2 {
			if w < 1e-3*r.W2[0] {
				break
			}
			d.X, d.Y = append(d.X, float64(f.Steps[i])), append(d.Y, w)
		}
		all = append(all, d)
	}
	return Curves("step", "W₂ to the target", all...)
}

// Show shows the states.
func (f *Flows) Show() { f.Plot().Show() }

func (f *Flows) String() string {
	header, rows := []string{"loss", "W₂ at the start", "at the end"}, [][]string{}
	for _, r := range f.Rows {
		rows = append(rows, []string{r.Label, fmt.Sprintf("%.4f", r.W2[0]), fmt.Sprintf("%.4f", r.W2[len(r.W2)-1])})
	}
	return textTable(header, rows)
}
