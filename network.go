package lab

import (
	"encoding/json"
	"fmt"
	"os"
)

// Pretrained is the network of docs/network.md, in that folder of the repository: `make network` trains it.
func Pretrained() *Run {
	r := &Run{Folder: os.Getenv("SWLAB_ROOT") + "/runs/network", state: "best"}
	if _, err := os.Stat(r.Folder); err != nil {
		fail(fmt.Errorf("there is no network in runs/network: `make network` trains it in about an hour and a half (%w)", err))
	}
	return r
}

// Looks draws what the network made of test clouds before the first step, after a fifth of them and after the last, and
// plays all looks in a notebook.
func (r *Run) Looks() *Picture {
	var in []input
	for _, name := range []string{"watched", "looks", "steps_of_looks"} {
		in = append(in, input{name: name, of: r.found, array: name})
	}
	return draw("looks", map[string]string{"labels": r.found.answer.Text["labels"]}, in...)
}

// Encode returns the codes of clouds, as a cloud of as many points in 256 dimensions.
func (r *Run) Encode(c *Clouds) *Clouds { return r.through("encode", c, "x") }

// Decode returns the clouds of codes.
func (r *Run) Decode(codes *Clouds) *Clouds { return r.through("decode", codes, "points") }

// Reconstruct decodes the codes of clouds.
func (r *Run) Reconstruct(c *Clouds) *Clouds { return r.Decode(r.Encode(c)) }

func (r *Run) through(function string, c *Clouds, array string) *Clouds {
	q := newRequest(function, nil)
	q.Settings["weights"] = r.Folder + "/" + r.state + ".safetensors"
	q.inputs = append(q.inputs, c.input("x"))
	return cloudsOf(ask(q), array)
}

// cloudsOf are clouds that a call has found.
func cloudsOf(f *found, array string) *Clouds {
	s := f.array(array).Shape
	return &Clouds{Count: s[0], Points: s[1], Dim: s[2], found: f, points: array}
}

// Generator is what [Generate] has trained.
type Generator struct {
	Codes  *Clouds   // that it has drawn
	Losses []float64 // mean SW² by epoch
}

// Generate trains a network that turns noise into codes distributed like the given ones, by SW² between both along new
// directions in every step, and draws n codes.
func Generate(codes *Clouds, n int, o ...Option) *Generator {
	r := newRequest("generate", append([]Option{Set("n", n)}, o...))
	r.inputs = append(r.inputs, codes.input("x"))
	f := ask(r)
	return &Generator{cloudsOf(f, "x"), values[float64](f.array("losses"))}
}

// Displacement moves every point of a cloud along a line to its partner in the optimal assignment of W₂: a cloud for each
// time, from 0 to 1.
func Displacement(from, to *Clouds, times ...float64) *Clouds {
	r := newRequest("emd", []Option{Power(2)})
	r.inputs = append(r.inputs, from.input("x"), to.input("y"))
	match, a, b := values[int32](ask(r).array("match")), from.Coordinates(), to.Coordinates()
	d, out := from.Dim, []float32{}
	for _, t := range times {
		for i := range a[:from.Points*d] {
			out = append(out, float32((1-t)*float64(a[i])+t*float64(b[int(match[i/d])*d+i%d])))
		}
	}
	return made("", out, len(times), from.Points, d)
}

// Strip draws each of several sets of clouds as a row, with its name, at most six of them.
func Strip(rows ...*Clouds) *Picture {
	var labels []string
	var in []input
	for i, c := range rows {
		labels, in = append(labels, c.Name), append(in, c.input(fmt.Sprint("x", i)))
	}
	text, err := json.Marshal(labels)
	check(err)
	return draw("clouds", map[string]string{"labels": string(text)}, in...)
}

// Called returns the clouds under another name.
func (c *Clouds) Called(name string) *Clouds {
	d := *c
	d.Name = name
	return &d
}

// Interval is a row of [Forest].
type Interval struct {
	Label, Group string
	Low, High    float64
}

// Forest draws 95 % intervals of differences, each in a row, in the colours of their groups.
func Forest(xLabel string, rows ...Interval) *Picture {
	text, err := json.Marshal(rows)
	check(err)
	return draw("forest", map[string]string{"x": xLabel, "rows": string(text)})
}
