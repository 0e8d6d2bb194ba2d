package lab

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/sliced-wasserstein/lab/internal/process"
)

// request is a call, in the JSON of package experiments/calls.
type request struct {
	Function string            `json:"function"`
	Seed     uint64            `json:"seed"`
	Settings map[string]string `json:"settings"`
	Arrays   []wire            `json:"arrays"`
	Dir      string            `json:"dir"`

	inputs []input
	own    bool // names something that only this program has
}

// wire is an array on its way.
type wire struct {
	Name  string `json:"name"`
	DType string `json:"dtype"`
	Shape []int  `json:"shape"`
	Ref   string `json:"ref,omitempty"`
	Data  []byte `json:"data,omitempty"`
	File  string `json:"file,omitempty"`
}

// input is an array of a call: one that another call has found, or numbers of this program.
type input struct {
	name  string
	of    *found
	array string
	raw   wire
}

// answer is what a call returns.
type answer struct {
	Error    string            `json:"error"`
	Kind     string            `json:"kind"`
	Text     map[string]string `json:"text"`
	Arrays   []wire            `json:"arrays"`
	Warnings []string          `json:"warnings"`

	seen bool
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

// found is a call with its answer.
type found struct {
	request request
	answer  answer
	here    *found // the same in this program, where the process has found it
	seen    bool   // in a notebook, that the call has shown it
}

func newRequest(function string, o []Option) request {
	dir, err := os.Getwd()
	check(err)
	r := request{Function: function, Seed: 1, Settings: map[string]string{}, Dir: dir}
	r.options(o)
	return r
}

// options puts options with one value into the settings.
func (r *request) options(o []Option) {
	for _, v := range o {
		r.own = r.own || v.own
		switch {
		case v.name == "":
		case v.clouds != nil:
			r.inputs = append(r.inputs, v.clouds.input(v.name))
		case v.numbers != nil:
			r.inputs = append(r.inputs, rawInput(v.name, v.numbers, 1, len(v.numbers)))
		case len(v.values) != 1:
			fail(fmt.Errorf("%s: expected one value, found %d; Ablate and Sweep take several", v.name, len(v.values)))
		default:
			r.set(v.name, v.values[0])
			if v.file != "" {
				r.set("weights", v.file)
			}
		}
	}
}

// vary is options, but those with several values are the grid.
func (r *request) vary(o []Option) {
	var grid []string
	for _, v := range o {
		if len(v.values) > 1 {
			r.own = r.own || v.own
			grid = append(grid, v.name+"="+strings.Join(v.values, ","))
			delete(r.Settings, v.name)
			continue
		}
		r.options([]Option{v})
	}
	if grid != nil {
		r.Settings["vary"] = strings.Join(grid, ";")
	}
}

func (r *request) set(name, value string) {
	if name != "seed" {
		r.Settings[name] = value
		return
	}
	if _, err := fmt.Sscan(value, &r.Seed); err != nil {
		fail(fmt.Errorf("seed: expected a whole number of at least 0, found %q", value))
	}
}

func rawInput[T float32 | float64 | uint8](name string, values []T, shape ...int) input {
	var b bytes.Buffer
	check(binary.Write(&b, binary.LittleEndian, values))
	kind := strings.TrimPrefix(fmt.Sprintf("%T", values), "[]")
	return input{name: name, raw: wire{Name: name, DType: kind, Shape: append([]int{}, shape...), Data: b.Bytes()}}
}

// local answers calls in this program; nil in a program without the library. It ends the call
// when interrupted is closed.
var local func(request []byte, interrupted <-chan struct{}, show func([]byte)) []byte

// socket is where the process listens; "" without one.
var socket = sharedSocket(os.Getenv("SWLAB_LAB"))

// sharedSocket is that of the process that the notebook shares (Share), or its own.
func sharedSocket(own string) string {
	if to, err := os.ReadFile(own + ".shared"); own != "" && err == nil {
		return string(to)
	}
	return own
}

// ask returns the answer to a call, or fails.
func ask(r request) *found {
	f, err := try(r)
	check(err)
	for _, w := range f.answer.Warnings {
		if r.Function == "cloud" {
			fmt.Fprintln(os.Stderr, "warning:", w)
		}
	}
	return f
}

// try is ask with an error. A process that has forgotten an array gets it again.
func try(r request) (*found, error) {
	r.inputs = slices.Clone(r.inputs)
	for _, in := range r.inputs {
		r.own = r.own || in.of != nil && in.of.request.own
	}
	for attempt := 0; ; attempt++ {
		r.Arrays = nil
		for i, in := range r.inputs {
			w := in.raw
			if in.of != nil {
				if r.own {
					var err error
					if in.of, err = in.of.inThisProgram(); err != nil {
						return nil, err
					}
					r.inputs[i].of = in.of
				}
				w = in.of.ref(in.array)
			}
			w.Name = in.name
			w, err := onFile(w, r.own)
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
			for _, in := range r.inputs {
				if in.of == nil {
					continue
				}
				again, err := try(in.of.request)
				if err != nil {
					return nil, err
				}
				in.of.answer = again.answer
			}
			continue
		case a.Error != "":
			return nil, errors.New(a.Error)
		}
		return &found{request: r, answer: a, seen: a.seen}, nil
	}
}

// inThisProgram is the same found by this program instead of the process.
func (f *found) inThisProgram() (*found, error) {
	if f.request.own || socket == "" {
		return f, nil
	}
	if f.here == nil {
		r := f.request
		r.own, r.inputs = true, slices.Clone(r.inputs)
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
func onFile(w wire, own bool) (wire, error) {
	if socket == "" || own || len(w.Data) <= largestInline || w.Ref != "" {
		return w, nil
	}
	f, err := os.CreateTemp(filepath.Dir(socket), "array")
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
func exchange(r request) (answer, error) {
	raw, err := json.Marshal(r)
	if err != nil {
		return answer{}, err
	}
	interrupted := make(chan struct{})
	signals, ended := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(signals, os.Interrupt)
	defer signal.Stop(signals)
	defer close(ended)
	go func() {
		select {
		case <-signals:
			close(interrupted)
		case <-ended:
		}
	}()
	view := &view{id: gonbui.UniqueId()}
	defer view.end()
	if socket == "" || r.own {
		if local == nil {
			return answer{}, errors.New("this program was built without the library, and there is no process to ask: SWLAB_LAB is not set")
		}
		var a answer
		err := json.Unmarshal(local(raw, interrupted, func(line []byte) { view.show(line) }), &a)
		a.seen = view.seen
		return a, err
	}
	for attempt := 0; ; attempt++ {
		a, err := overSocket(raw, interrupted, view)
		if err == nil && a.Kind != "stale" {
			a.seen = view.seen
			return a, nil
		}
		if attempt == 3 {
			return a, fmt.Errorf("the process of the lab ends again and again; its log is %s.log (%w)", socket, err)
		}
		if _, e := os.Stat(socket); err != nil && e == nil {
			fmt.Fprintln(os.Stderr, "The process of the lab has ended; it is started again, and what it held is computed anew.")
		}
		if err := start(interrupted); err != nil {
			return answer{}, err
		}
	}
}

// overSocket is one attempt of exchange.
func overSocket(raw []byte, interrupted <-chan struct{}, view *view) (answer, error) {
	c, err := net.Dial("unix", socket)
	if err != nil {
		return answer{}, err
	}
	defer c.Close()
	if _, err := c.Write(append(raw, '\n')); err != nil {
		return answer{}, io.ErrUnexpectedEOF
	}
	over := make(chan struct{})
	defer close(over)
	go func() {
		select {
		case <-interrupted:
			_ = c.(*net.UnixConn).CloseWrite()
		case <-over:
		}
	}()
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

// patience is how long the process may take to begin: the first time it is compiled.
const patience = 10 * time.Minute

// start starts the process and waits until it answers.
func start(interrupted <-chan struct{}) error {
	for {
		err := startOnce(interrupted)
		if killed := (*exec.ExitError)(nil); !errors.As(err, &killed) || killed.Exited() {
			return err
		}
	}
}

// startOnce is start, but for a process that is killed before it answers.
func startOnce(interrupted <-chan struct{}) error {
	command := os.Getenv("SWLAB_LAB_START")
	if command == "" {
		return fmt.Errorf("the process of the lab does not answer at %s, and SWLAB_LAB_START does not say how to start it", socket)
	}
	log, err := os.OpenFile(socket+".log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command("/bin/sh", command, socket)
	cmd.Stdout, cmd.Stderr = log, log
	process.Detach(cmd)
	if socket != os.Getenv("SWLAB_LAB") { // shared: it does not end with this kernel
		cmd.Env = append(os.Environ(), "SWLAB_KERNEL=")
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	began, said := time.Now(), false
	for {
		if c, err := net.Dial("unix", socket); err == nil {
			return c.Close()
		}
		select {
		case err := <-exited:
			if err != nil {
				return fmt.Errorf("the process of the lab does not start: %w; see %s.log", err, socket)
			}
			exited = nil // another one has the socket
		case <-interrupted:
			return errors.New("interrupted")
		case <-time.After(5 * time.Millisecond):
		}
		if !said && time.Since(began) > 3*time.Second {
			said = true
			fmt.Fprintln(os.Stderr, "The process of the lab is being built; this takes long the first time only.")
		}
		if time.Since(began) > patience {
			return fmt.Errorf("the process of the lab did not answer within %v; see %s.log", patience, socket)
		}
	}
}

// view shows the events of a call.
type view struct {
	id  string
	ids []string // of lines of text, which are removed at the end

	seen bool // that something stays
}

// show shows an event; it returns the answer if the line has one.
func (v *view) show(line []byte) *answer {
	var e event
	if err := json.Unmarshal(line, &e); err != nil {
		return &answer{Error: "the process of the lab answered what is no JSON: " + err.Error()}
	}
	switch id := v.id + e.ID; {
	case e.Answer != nil:
		return e.Answer
	case !gonbui.IsNotebook:
		if e.Text != "" && e.ID == "" {
			fmt.Fprintln(os.Stderr, e.Text)
		}
	case e.PNG != nil:
		v.seen = true
		gonbui.SendData(&protocol.DisplayData{
			Data:     map[protocol.MIMEType]any{protocol.MIMEImagePNG: e.PNG, protocol.MIMETextPlain: e.Text},
			Metadata: map[string]any{string(protocol.MIMEImagePNG): map[string]int{"width": e.Width}},
		})
	case e.Markdown != "":
		gonbui.DisplayMarkdown(e.Markdown)
	case e.ID == "" && e.HTML != "":
		v.seen = true
		gonbui.DisplayHTML(e.HTML)
	case e.ID == "":
		fmt.Println(e.Text)
	case e.HTML != "":
		v.seen = true
		gonbui.UpdateHTML(id, e.HTML)
	default:
		gonbui.UpdateHTML(id, "<p>"+escape(e.Text)+"</p>")
		v.ids = append(v.ids, id)
	}
	return nil
}

func (v *view) end() {
	for i, id := range v.ids {
		if i == 0 || id != v.ids[i-1] {
			gonbui.UpdateHTML(id, "")
		}
	}
}

// has reports whether the answer has an array of that name.
func (f *found) has(name string) bool {
	for _, w := range f.answer.Arrays {
		if w.Name == name {
			return true
		}
	}
	return false
}

// ref is an array of the answer as the input of another call.
func (f *found) ref(name string) wire {
	for _, w := range f.answer.Arrays {
		if w.Name == name {
			if w.Ref != "" {
				w.Data = nil
			}
			return w
		}
	}
	fail(fmt.Errorf("the process of the lab did not answer with %s", name))
	return wire{}
}

// array is an array of the answer with its data.
func (f *found) array(name string) wire {
	w := f.ref(name)
	for _, inline := range f.answer.Arrays {
		if inline.Name == name && (inline.Data != nil || w.Ref == "") {
			return inline
		}
	}
	got := ask(request{Function: "fetch", Settings: map[string]string{}, Dir: f.request.Dir, inputs: []input{{name: name, of: f, array: name}}})
	a := got.answer.Arrays[0]
	data, err := process.Mapped(a.File)
	check(err)
	a.Data = data
	for i := range f.answer.Arrays {
		if f.answer.Arrays[i].Name == name {
			f.answer.Arrays[i].Data = data
		}
	}
	return a
}

func (f *found) number(name string) float64 { return values[float64](f.array(name))[0] }

// values are the numbers of an array. They are the caller's own.
func values[T float32 | float64 | int32 | uint8](w wire) []T {
	n := 1
	for _, k := range w.Shape {
		n *= k
	}
	out := make([]T, n)
	_, err := binary.Decode(w.Data, binary.LittleEndian, out)
	check(err)
	return out
}

// show shows the outputs of a training or table, unless the call has done so, with code below them; elsewhere, text.
func (f *found) show(code, text string) {
	if !f.seen {
		code = f.answer.Text["shown"] + code
	}
	if code != "" || !gonbui.IsNotebook {
		display(code, text)
	}
}

// show shows text.
func show(text string) { display("<pre>"+escape(text)+"</pre>", text) }

// display shows HTML in a notebook, and text elsewhere.
func display(code, text string) {
	if !gonbui.IsNotebook {
		fmt.Println(text)
		return
	}
	gonbui.DisplayHTML(code)
	gonbui.Sync()
}

func escape(text string) string { return html.EscapeString(text) }

func textTable(header []string, rows [][]string) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{header}, rows...) {
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	_ = w.Flush() // into memory
	return b.String()
}

func htmlTable(header []string, rows [][]string) string {
	var b strings.Builder
	b.WriteString("<table><thead><tr>")
	for _, h := range header {
		b.WriteString("<th>" + escape(h) + "</th>")
	}
	b.WriteString("</tr></thead><tbody>")
	for _, row := range rows {
		b.WriteString("<tr>")
		for _, cell := range row {
			b.WriteString("<td>" + escape(cell) + "</td>")
		}
		b.WriteString("</tr>")
	}
	return b.String() + "</tbody></table>"
}

func check(err error) {
	if err != nil {
		fail(err)
	}
}

// fail ends a cell with one line that says where, and panics elsewhere.
func fail(err error) {
	if !gonbui.IsNotebook {
		panic(err)
	}
	at := ""
	var callers [64]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers[:])])
	for more := true; more && at == ""; {
		var f runtime.Frame
		if f, more = frames.Next(); strings.HasPrefix(f.Function, "main.") {
			at = fmt.Sprintf("%s:%d: ", f.File, f.Line)
		}
	}
	text, place, found := strings.Cut(err.Error(), "\n\tat ") // of a graph that could not be built
	if found {
		at = strings.TrimSpace(place) + ": "
	}
	fmt.Fprintf(os.Stderr, "%serror: %s\n", at, strings.Join(strings.Fields(text), " "))
	gonbui.Sync()
	os.Exit(1)
}
