// Package client asks the calls of package experiments/calls for package lab: the process of a
// notebook over a socket, or this program itself. It shows what they answer, in a notebook as outputs
// of the cell, elsewhere as text.
package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"github.com/janpfeifer/gonb/gonbui"
)

// Request is a call, in the JSON of package experiments/calls.
type Request struct {
	Function string            `json:"function"`
	Seed     uint64            `json:"seed"`
	Settings map[string]string `json:"settings"`
	Arrays   []array           `json:"arrays"` // filled from Inputs
	Dir      string            `json:"dir"`

	Inputs []Input `json:"-"`
	Own    bool    `json:"-"` // names something that only this program has
}

// array is an array on its way.
type array struct {
	Name  string `json:"name"`
	DType string `json:"dtype"`
	Shape []int  `json:"shape"`
	Ref   string `json:"ref,omitempty"`
	Data  []byte `json:"data,omitempty"`
	File  string `json:"file,omitempty"`
}

// Input is an array of a call: the array of that name that another call has found, or numbers of this program.
type Input struct {
	Name  string
	Of    *Found // nil: numbers of this program
	Array string
	raw   array
}

// answer is what a call returns.
type answer struct {
	Error    string            `json:"error"`
	Kind     string            `json:"kind"`
	Text     map[string]string `json:"text"`
	Arrays   []array           `json:"arrays"`
	Warnings []string          `json:"warnings"`

	seen bool // in a notebook, that the call has shown something that stays
}

// event is what arrives while a call works.
type event struct {
	ID     string  `json:"id"`
	HTML   string  `json:"html"`
	Text   string  `json:"text"`
	Answer *answer `json:"answer"`

	Markdown string `json:"markdown"`
	PNG      []byte `json:"png"`
	Width    int    `json:"width"`
}

// Found is a call with its answer.
type Found struct {
	Request Request
	answer  answer
	here    *Found // the same in this program, where the process has found it
}

// New is a call without settings from the folder of this program, with seed 1.
func New(function string, inputs ...Input) Request {
	dir, err := os.Getwd()
	Check(err)
	return Request{Function: function, Seed: 1, Settings: map[string]string{}, Dir: dir, Inputs: inputs}
}

// Raw is an array of numbers of this program.
func Raw[T float32 | float64 | uint8](name string, values []T, shape ...int) Input {
	var b bytes.Buffer
	Check(binary.Write(&b, binary.LittleEndian, values))
	kind := strings.TrimPrefix(fmt.Sprintf("%T", values), "[]")
	return Input{Name: name, raw: array{Name: name, DType: kind, Shape: append([]int{}, shape...), Data: b.Bytes()}}
}

// Local answers calls in this program; nil in a program without the library.
var Local func(ctx context.Context, request []byte, show func([]byte)) []byte

// Ask returns the answer to a call, or fails.
func Ask(r Request) *Found {
	f, err := try(r)
	Check(err)
	for _, w := range f.answer.Warnings {
		if r.Function == "cloud" {
			fmt.Fprintln(os.Stderr, "warning:", w)
		}
	}
	return f
}

// try is Ask with an error. A process that has forgotten an array gets it again.
func try(r Request) (*Found, error) {
	r.Inputs = slices.Clone(r.Inputs)
	for _, in := range r.Inputs {
		r.Own = r.Own || in.Of != nil && in.Of.Request.Own
	}
	for attempt := 0; ; attempt++ {
		r.Arrays = nil
		for i, in := range r.Inputs {
			w := in.raw
			if in.Of != nil {
				if r.Own {
					var err error
					if in.Of, err = in.Of.inThisProgram(); err != nil {
						return nil, err
					}
					r.Inputs[i].Of = in.Of
				}
				w = in.Of.ref(in.Array)
			}
			w.Name = in.Name
			w, err := onFile(w, r.Own)
			if err != nil {
				return nil, err
			}
			r.Arrays = append(r.Arrays, w)
		}
		a, err := exchange(r)
		for _, w := range r.Arrays {
			if w.File != "" {
				_ = os.Remove(w.File)
			}
		}
		switch {
		case err != nil:
			return nil, err
		case a.Kind == "unknown" && attempt < 3:
			for _, in := range r.Inputs {
				if in.Of == nil {
					continue
				}
				again, err := try(in.Of.Request)
				if err != nil {
					return nil, err
				}
				in.Of.answer = again.answer
			}
			continue
		case a.Error != "":
			return nil, errors.New(a.Error)
		}
		return &Found{Request: r, answer: a}, nil
	}
}

// inThisProgram is the same found by this program instead of the process.
func (f *Found) inThisProgram() (*Found, error) {
	if f.Request.Own || Socket == "" {
		return f, nil
	}
	if f.here == nil {
		r := f.Request
		r.Own, r.Inputs = true, slices.Clone(r.Inputs)
		here, err := try(r)
		if err != nil {
			return nil, err
		}
		f.here = here
	}
	return f.here, nil
}

// largestInline is the largest array, in bytes, that travels within the call.
const largestInline = 64 << 10

// onFile puts the data of a large array into a file of the process's folder.
func onFile(w array, own bool) (array, error) {
	if Socket == "" || own || len(w.Data) <= largestInline || w.Ref != "" {
		return w, nil
	}
	f, err := os.CreateTemp(filepath.Dir(Socket), "array")
	if err != nil {
		return w, err
	}
	defer f.Close()
	if _, err := f.Write(w.Data); err != nil {
		return w, err
	}
	w.File, w.Data = f.Name(), nil
	return w, nil
}

// exchange carries out a call, in the process or here. A process that dies meanwhile, or whose source has
// changed, is started again.
func exchange(r Request) (answer, error) {
	raw, err := json.Marshal(r)
	if err != nil {
		return answer{}, err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	view := &view{id: gonbui.UniqueId()}
	defer view.end()
	if Socket == "" || r.Own {
		if Local == nil {
			return answer{}, errors.New("this program was built without the library, and there is no process to ask: " +
				"SWLAB_LAB is not set")
		}
		var a answer
		err := json.Unmarshal(Local(ctx, raw, func(line []byte) { view.show(line) }), &a)
		a.seen = view.seen
		return a, err
	}
	for attempt := 0; ; attempt++ {
		a, err := overSocket(ctx, raw, view)
		if err == nil && a.Kind != "stale" {
			a.seen = view.seen
			return a, nil
		}
		if attempt == 3 {
			return a, fmt.Errorf("the process of the lab ends again and again; its log is %s.log (%w)", Socket, err)
		}
		if _, e := os.Stat(Socket); err != nil && e == nil {
			fmt.Fprintln(os.Stderr, "The process of the lab has ended; it is started again, "+
				"and what it held is computed anew.")
		}
		if err := start(ctx); err != nil {
			return answer{}, err
		}
	}
}

// overSocket is one attempt of exchange.
func overSocket(ctx context.Context, raw []byte, view *view) (answer, error) {
	c, err := net.Dial("unix", Socket)
	if err != nil {
		return answer{}, err
	}
	defer c.Close()
	if _, err := c.Write(append(raw, '\n')); err != nil {
		return answer{}, io.ErrUnexpectedEOF
	}
	stop := context.AfterFunc(ctx, func() { _ = c.(*net.UnixConn).CloseWrite() })
	defer stop()
	in := bufio.NewReaderSize(c, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return answer{}, io.ErrUnexpectedEOF
		}
		if a := view.show(line); a != nil {
			return *a, nil
		}
	}
}

// Has reports whether the answer has an array of that name.
func (f *Found) Has(name string) bool {
	for _, w := range f.answer.Arrays {
		if w.Name == name {
			return true
		}
	}
	return false
}

// ref is an array of the answer as the input of another call.
func (f *Found) ref(name string) array {
	for _, w := range f.answer.Arrays {
		if w.Name == name {
			if w.Ref != "" {
				w.Data = nil
			}
			return w
		}
	}
	Fail(fmt.Errorf("the process of the lab did not answer with %s", name))
	return array{}
}

// array is an array of the answer with its data.
func (f *Found) array(name string) array {
	w := f.ref(name)
	for _, inline := range f.answer.Arrays {
		if inline.Name == name && (inline.Data != nil || w.Ref == "") {
			return inline
		}
	}
	a := Ask(New("fetch", f.Input(name))).answer.Arrays[0]
	data, err := mapped(a.File)
	Check(err)
	a.Data = data
	for i := range f.answer.Arrays {
		if f.answer.Arrays[i].Name == name {
			f.answer.Arrays[i].Data = data
		}
	}
	return a
}

// Text is a text of the answer; "" without one.
func (f *Found) Text(name string) string { return f.answer.Text[name] }

// JSON reads a text of the answer into the value that ptr points to.
func (f *Found) JSON(name string, ptr any) { Check(json.Unmarshal([]byte(f.Text(name)), ptr)) }

// Warnings say why a number may not be what the caller expects.
func (f *Found) Warnings() []string { return f.answer.Warnings }

// Input is an array of the answer as the input of another call, under its own name.
func (f *Found) Input(name string) Input { return Input{Name: name, Of: f, Array: name} }

// Number is an array of the answer of one number.
func (f *Found) Number(name string) float64 { return Values[float64](f, name)[0] }

// Shape is that of an array of the answer.
func (f *Found) Shape(name string) []int { return f.ref(name).Shape }

// Values are the numbers of an array of the answer, of its type or, of float64, rounded to float32.
// They are the caller's own.
func Values[T float32 | float64 | int32 | uint8](f *Found, name string) []T {
	w, n := f.array(name), 1
	for _, k := range w.Shape {
		n *= k
	}
	out := make([]T, n)
	if narrow, ok := any(out).([]float32); ok && w.DType == "float64" {
		wide := make([]float64, n)
		_, err := binary.Decode(w.Data, binary.LittleEndian, wide)
		Check(err)
		for i, v := range wide {
			narrow[i] = float32(v)
		}
		return out
	}
	_, err := binary.Decode(w.Data, binary.LittleEndian, out)
	Check(err)
	return out
}
