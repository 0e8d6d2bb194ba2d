package calls

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/internal/memory"
)

// Space keeps what calls have found: an equal call is answered from there, and arrays in it are
// named by their Ref. Calls are equal if function, seed, settings and arrays are, and the content of
// the files that they read. It is safe for concurrent use.
type Space struct {
	dir   string // for files of arrays
	limit int64  // bytes

	mu    sync.Mutex
	found map[string]*kept
}

// kept is what a call has found.
type kept struct {
	key     string
	done    chan struct{} // closed when answer is there
	answer  Answer
	what    string
	bytes   int64
	seconds float64
	used    time.Time
}

// NewSpace returns a space whose files lie in dir; without one, answers hold all arrays. Beyond limit bytes, it forgets what was not used
// for the longest time; 0 is a quarter of the memory available.
func NewSpace(dir string, limit int64) *Space {
	if limit == 0 {
		available, _ := memory.Available()
		limit = available / 4
	}
	return &Space{dir: dir, limit: limit, found: map[string]*kept{}}
}

// Event is what a call shows while it works.
type Event struct {
	ID   string `json:"id,omitempty"` // of an output that a later event of that id replaces
	HTML string `json:"html,omitempty"`
	Text string `json:"text,omitempty"` // or the words for a picture
	// Markdown and PNG, shown Width wide, stay.
	Markdown string `json:"markdown,omitempty"`
	PNG      []byte `json:"png,omitempty"`
	Width    int    `json:"width,omitempty"`
	// Answer ends the call.
	Answer *Answer `json:"answer,omitempty"`
}

// largestInline is the largest array, in bytes, that an answer holds as Data.
const largestInline = 64 << 10

// Respond answers a request. Arrays come by Ref, Data or File, and go by Data, or by Ref alone where
// they are large; the call "fetch" then writes a file. show takes what is shown meanwhile.
func (s *Space) Respond(ctx context.Context, r Request, show func(Event)) Answer {
	r.ctx, r.space, r.show = ctx, s, show
	if err := s.read(&r); err != nil {
		var a Answer
		a.Fail(err)
		if _, lost := err.(unknown); lost {
			a.Kind = "unknown"
		}
		return a
	}
	a, key := s.answer(r)
	return s.outgoing(a, key)
}

// answer answers a request whose arrays have been read. key is where the answer is kept; "": nowhere.
func (s *Space) answer(r Request) (a Answer, key string) {
	call := known[r.Function]
	if call.Volatile {
		return Respond(r), ""
	}
	key, err := s.key(r)
	if err != nil {
		a.Fail(err)
		return a, ""
	}
	s.mu.Lock()
	k := s.found[key]
	mine := k == nil || call.Stored && k.gone()
	if mine {
		k = &kept{key: key, done: make(chan struct{}), what: describe(r)}
		s.found[key] = k
	}
	s.mu.Unlock()
	if mine {
		began := time.Now()
		k.answer = Respond(r)
		k.seconds = time.Since(began).Seconds()
		k.bytes = sizeOf(k.answer)
		s.mu.Lock()
		if k.answer.Error != "" {
			delete(s.found, key)
		}
		k.used = time.Now()
		s.mu.Unlock()
		close(k.done)
		s.shrink(key)
	} else {
		select {
		case <-k.done:
		case <-r.ctx.Done():
			a.Fail(r.ctx.Err())
			return a, ""
		}
		if k.answer.Error != "" { // somebody else's, who may have stopped it
			return s.answer(r)
		}
		s.mu.Lock()
		k.used = time.Now()
		s.mu.Unlock()
	}
	return k.answer, key
}

// gone reports whether what a stored call has found is no longer in its folder. s.mu is locked.
func (k *kept) gone() bool {
	select {
	case <-k.done:
	default:
		return false
	}
	_, err := os.Stat(k.answer.Text["folder"])
	return err != nil
}

// unknown says that the space does not keep an array, any more.
type unknown string

func (u unknown) Error() string { return fmt.Sprintf("array %s is not kept any more", string(u)) }

// read gives the arrays of a request their values.
func (s *Space) read(r *Request) error {
	r.Arrays = slices.Clone(r.Arrays)
	for i := range r.Arrays {
		a := &r.Arrays[i]
		if a.Ref != "" {
			if err := s.resolve(a); err != nil {
				return err
			}
			continue
		}
		raw := a.Data
		if a.File != "" {
			var err error
			if raw, err = os.ReadFile(a.File); err != nil {
				return err
			}
		}
		if err := a.decode(raw); err != nil {
			return err
		}
		a.identify(raw)
		a.Data, a.File = nil, ""
	}
	return nil
}

// identify makes Ref that of the array's content.
func (a *Array) identify(raw []byte) {
	sum := sha256.New()
	sum.Write(raw)
	fmt.Fprintf(sum, "%s%v", a.DType, a.Shape)
	a.Ref = "=" + hex.EncodeToString(sum.Sum(nil)[:12])
}

// resolve finds the array of a Ref, KEY/NAME.
func (s *Space) resolve(a *Array) error {
	key, name, _ := strings.Cut(a.Ref, "/")
	s.mu.Lock()
	k := s.found[key]
	s.mu.Unlock()
	if k == nil {
		return unknown(a.Ref)
	}
	<-k.done
	s.mu.Lock()
	k.used = time.Now()
	s.mu.Unlock()
	for _, from := range k.answer.Arrays {
		if from.Name == name {
			a.DType, a.Shape, a.Values = from.DType, from.Shape, from.Values
			if name == "points" {
				a.set = k.answer.set
			}
			return nil
		}
	}
	return unknown(a.Ref)
}

// decode reads little-endian numbers.
func (a *Array) decode(raw []byte) (err error) {
	switch n := a.Size(); a.DType {
	case "float32":
		a.Values, err = numbersOf[float32](a, raw, 4*n)
	case "float64":
		a.Values, err = numbersOf[float64](a, raw, 8*n)
	case "int32":
		a.Values, err = numbersOf[int32](a, raw, 4*n)
	case "uint8":
		a.Values, err = numbersOf[uint8](a, raw, n)
	default:
		err = fmt.Errorf("%s: expected numbers of type float32, float64, int32 or uint8, found %q", a.Name, a.DType)
	}
	return err
}

func numbersOf[T float32 | float64 | int32 | uint8](a *Array, raw []byte, size int) ([]T, error) {
	if len(raw) != size {
		return nil, fmt.Errorf("%s: expected %d bytes for shape %v of %s, found %d", a.Name, size, a.Shape, a.DType, len(raw))
	}
	out := make([]T, a.Size())
	_, err := binary.Decode(raw, binary.LittleEndian, out)
	return out, err
}

// key identifies a request whose arrays have been read.
func (s *Space) key(r Request) (string, error) {
	refs := map[string]string{}
	for _, a := range r.Arrays {
		refs[a.Name] = a.Ref
	}
	id := map[string]any{"function": r.Function, "seed": r.Seed, "settings": r.Settings, "arrays": refs}
	if known[r.Function].Stored {
		id["dir"] = r.Dir
	}
	if path := r.File(); path != "" {
		content, err := contentOf(path)
		if err != nil {
			return "", err
		}
		id["content"] = content
	}
	raw, err := json.Marshal(id)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:12]), nil
}

// outgoing is an answer to a caller outside: small arrays as Data, and, of a call that is kept, with a Ref.
func (s *Space) outgoing(a Answer, key string) Answer {
	a.Arrays = slices.Clone(a.Arrays)
	for i := range a.Arrays {
		v := &a.Arrays[i]
		if v.File != "" {
			continue
		}
		if key != "" {
			v.Ref = key + "/" + v.Name
		}
		if binary.Size(v.Values) <= largestInline || v.Ref == "" || s.dir == "" {
			v.Data = encode(v.Values)
		}
	}
	return a
}

func encode(values any) []byte {
	var b bytes.Buffer
	_ = binary.Write(&b, binary.LittleEndian, values) // numbers, into memory
	return b.Bytes()
}

func sizeOf(a Answer) (n int64) {
	for _, v := range a.Arrays {
		n += int64(binary.Size(v.Values))
	}
	for _, v := range a.Text {
		n += int64(len(v))
	}
	return n
}

// describe names a call in Vars.
func describe(r Request) string {
	words := []string{r.Function}
	for _, name := range []string{"name", "loss", "kind", "code"} {
		if v := r.Settings[name]; v != "" {
			words = append(words, v)
		}
	}
	return strings.Join(words, " ")
}

// shrink forgets what was not used for the longest time, but for the newest key, until the rest fits.
func (s *Space) shrink(newest string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	total := int64(0)
	for _, k := range s.found {
		total += k.bytes
	}
	if total <= s.limit {
		return
	}
	var old []*kept
	for _, k := range s.found {
		if k.key != newest && !k.used.IsZero() {
			old = append(old, k)
		}
	}
	slices.SortFunc(old, func(a, b *kept) int { return a.used.Compare(b.used) })
	for _, k := range old {
		if total <= s.limit {
			return
		}
		s.drop(k)
		total -= k.bytes
	}
}

// drop forgets one. s.mu is locked.
func (s *Space) drop(k *kept) {
	delete(s.found, k.key)
	if s.dir != "" {
		files, _ := filepath.Glob(filepath.Join(s.dir, k.key+"-*"))
		for _, f := range files {
			_ = os.Remove(f)
		}
	}
}

// fetch answers with arrays of the request in files.
func fetch(r *Request, a *Answer) error {
	for _, v := range r.Arrays {
		key, name, _ := strings.Cut(v.Ref, "/")
		path := filepath.Join(r.space.dir, key+"-"+name)
		if _, err := os.Stat(path); err != nil {
			f, err := os.CreateTemp(r.space.dir, "fetch")
			if err != nil {
				return err
			}
			_, err = f.Write(encode(v.Values))
			if err = cmp.Or(err, f.Close()); err == nil {
				err = os.Rename(f.Name(), path)
			}
			if err != nil {
				return err
			}
		}
		a.Arrays = append(a.Arrays, Array{Name: v.Name, DType: v.DType, Shape: v.Shape, Ref: v.Ref, File: path})
	}
	return nil
}

// array keeps an array of the caller.
func array(r *Request, a *Answer) error {
	for _, v := range r.Arrays {
		v.Ref = ""
		a.Arrays = append(a.Arrays, v)
	}
	return nil
}

// variables lists what is kept.
func variables(r *Request, a *Answer) error {
	s := r.space
	s.mu.Lock()
	defer s.mu.Unlock()
	type row struct {
		What    string  `json:"what"`
		Shapes  string  `json:"shapes"`
		Bytes   int64   `json:"bytes"`
		Seconds float64 `json:"seconds"` // that it took
		Age     float64 `json:"age"`     // seconds since it was last used
	}
	var rows []row
	for _, k := range slices.SortedFunc(maps.Values(s.found), func(a, b *kept) int { return b.used.Compare(a.used) }) {
		if k.used.IsZero() {
			continue
		}
		var shapes []string
		for _, v := range k.answer.Arrays {
			shapes = append(shapes, fmt.Sprintf("%s %v", v.Name, v.Shape))
		}
		rows = append(rows, row{k.what, strings.Join(shapes, ", "), k.bytes, k.seconds, time.Since(k.used).Seconds()})
	}
	raw, err := json.Marshal(rows)
	a.Text = map[string]string{"rows": string(raw), "limit": fmt.Sprint(s.limit)}
	return err
}

// forget forgets what the settings name, or everything.
func forget(r *Request, _ *Answer) error {
	s := r.space
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range slices.Collect(maps.Values(s.found)) {
		if what := r.Settings["what"]; !k.used.IsZero() && (what == "" || what == k.what || strings.HasSuffix(k.what, " "+what)) {
			s.drop(k)
		}
	}
	return nil
}

// cloudSettings choose clouds.
type cloudSettings struct {
	Name   string `json:"name"` // a class of built-in shapes, builtin, or a path
	Points int    `json:"points"`
	Number int    `json:"number"`
	All    bool   `json:"all"` // all clouds of the set, with their parts
}

// File is the file or folder that the call reads; "" if it reads none.
func (r *Request) File() string {
	name := r.Settings["weights"]
	if file := known[r.Function].File; file != nil {
		name = file(r)
	}
	if name == "" || name == datasets.Builtin || slices.Contains(datasets.ShapeClasses(), name) {
		return ""
	}
	return r.Path(name)
}

func clouded(r *Request) string { return r.Settings["name"] }

// Path is where a caller's path leads.
func (r *Request) Path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(r.Dir, name)
}

// contentOf identifies the content of a file or folder.
func contentOf(path string) (string, error) {
	sum := sha256.New()
	err := filepath.Walk(path, func(file string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		raw, err := os.ReadFile(file)
		fmt.Fprintf(sum, "%s %d ", file, len(raw))
		sum.Write(raw)
		return err
	})
	if os.IsNotExist(err) {
		return "", nil // the call says what is wrong
	}
	return hex.EncodeToString(sum.Sum(nil)), err
}

// cloud loads clouds, or makes one of a built-in class.
func cloud(r *Request, a *Answer) error {
	var s cloudSettings
	if err := r.Apply(&s); err != nil {
		return err
	}
	var set *datasets.Set
	var err error
	switch {
	case slices.Contains(datasets.ShapeClasses(), s.Name):
		set, err = datasets.Shapes{Test: s.Number + 1, Points: cmp.Or(s.Points, 512), Classes: []string{s.Name}}.Generate()
		if err == nil {
			set = set.Select([]int{s.Number})
		}
	default:
		o := datasets.Options{Points: s.Points, AtMost: true, Seed: r.Seed, Raw: !s.All}
		set, err = datasets.Load(cmp.Or(r.File(), s.Name), o)
	}
	if err != nil {
		return err
	}
	a.set = set
	a.Warnings = set.Warnings()
	a.Text = map[string]string{"name": filepath.Base(s.Name), "classes": strings.Join(set.Classes, ",")}
	Add(a, "points", set.Coords, set.Clouds, set.Points, set.Dim)
	Add(a, "labels", set.Labels, len(set.Labels))
	return nil
}
