package weights

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/internal/torchfile"
)

// ramp is n values 0.5 i - 1 from i = start in steps.
func ramp(start, step, n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = 0.5*float32(start+i*step) - 1
	}
	return v
}

// expect is what testdata/torch_files.py wrote.
func expect() map[string]map[string]Tensor {
	plain := map[string]Tensor{"b.weight": {[]int{3, 2, 1}, ramp(0, 1, 6)}, "a.bias": {[]int{3}, ramp(0, 1, 3)},
		"scalar": {[]int{}, ramp(0, 1, 1)}}
	var transposed []float32
	for c := range 6 {
		transposed = append(transposed, ramp(c, 6, 4)...)
	}
	views := map[string]Tensor{
		"transposed": {[]int{6, 4}, transposed}, "column": {[]int{4}, ramp(2, 6, 4)},
		"corner":   {[]int{2, 3}, append(ramp(8, 1, 3), ramp(14, 1, 3)...)},
		"expanded": {[]int{2, 3}, append(ramp(0, 1, 3), ramp(0, 1, 3)...)},
		"whole":    {[]int{4, 6}, ramp(0, 1, 24)}, "empty": {[]int{0, 3}, []float32{}},
	}
	five := Tensor{[]int{5}, ramp(0, 1, 5)}
	return map[string]map[string]Tensor{
		"plain.pth": plain, "legacy.pth": plain, "protocol4.pt": plain, "autoencoder.pth": plain, "model.pth": plain,
		"nested.pth": plain,
		"views.pth":  views, "views_legacy.pth": views,
		"types.pth":      {"f16": five, "bf16": five, "f64": five, "f32": five},
		"parameters.pth": {"w": {[]int{2, 3}, ramp(0, 1, 6)}},
	}
}

func TestReadTorch(t *testing.T) {
	for file, want := range expect() {
		set := must.M1(Read(filepath.Join("testdata", file)))
		if len(set.Names()) != len(want) {
			t.Errorf("%s: entries %v", file, set.Names())
		}
		for name, w := range want {
			if g, ok := set.Get(name); !ok || !slices.Equal(g.Shape, w.Shape) || !slices.Equal(g.Data, w.Data) {
				t.Errorf("%s: %s is %v, want %v", file, name, g, w)
			}
		}
	}
	set := must.M1(Read(filepath.Join("testdata", "plain.pth")))
	if !slices.Equal(set.Names(), []string{"b.weight", "a.bias", "scalar"}) {
		t.Errorf("order of entries: %v", set.Names())
	}
}

func TestReadTorchRefuses(t *testing.T) {
	const canary = "was_run" // what the malicious files would make
	for file, want := range map[string]string{
		"malicious.pth":        "posix.system",
		"malicious_legacy.pth": "posix.system",
		"module.pth":           "torch.nn.modules.container.Sequential",
		"integers.pth":         `tensor "w": expected dtype F32, F64, F16 or BF16, found "I64"`,
		"list.pth":             "expected a dict of tensors by name, found a list",
		"mixed.pth":            `entry "epoch": expected a tensor, found the number 3`,
		"torch_files.py":       "expected weights in a .safetensors, .pth or .pt file",
		"none.pth":             "no such file",
	} {
		_, err := Read(filepath.Join("testdata", file))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v, want an error with %q", file, err, want)
		}
	}
	if _, err := os.Stat(canary); err == nil {
		t.Fatal("the file's code was run")
	}
}

// readTorch is ReadTorch of a file's bytes.
func readTorch(data []byte) (*Set, error) {
	f, err := torchfile.Parse(data, saveHint)
	if err != nil {
		return nil, err
	}
	return stateDict(f)
}

func torchFile(t testing.TB, name string) []byte {
	t.Helper()
	return must.M1(os.ReadFile(filepath.Join("testdata", name)))
}

// Every truncation is an error. A flipped bit in the numbers of a zip file is caught by its checksum.
func TestReadTorchDamaged(t *testing.T) {
	for _, file := range []string{"plain.pth", "legacy.pth"} {
		b := torchFile(t, file)
		for n := range len(b) {
			if _, err := readTorch(b[:n]); err == nil {
				t.Errorf("%s cut off after %d of %d bytes is read", file, n, len(b))
			}
		}
	}
	b := torchFile(t, "plain.pth")
	var numbers bytes.Buffer
	must.M(binary.Write(&numbers, binary.LittleEndian, ramp(0, 1, 6)))
	at := bytes.Index(b, numbers.Bytes())
	if at < 0 {
		t.Fatal("the numbers are not where expected")
	}
	for i := range numbers.Len() {
		c := slices.Clone(b)
		c[at+i] ^= 4
		if _, err := readTorch(c); err == nil || !strings.Contains(err.Error(), "checksum") {
			t.Errorf("a changed number: %v", err)
		}
	}
}

// hostile is a state dict whose storage or tensor claims to be huge.
func hostile(t testing.TB, count, size, stride uint32, again ...string) []byte {
	t.Helper()
	p := []byte("\x80\x02}X\x01\x00\x00\x00wctorch._utils\n_rebuild_tensor_v2\n((X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpuJ")
	p = binary.LittleEndian.AppendUint32(p, count)
	p = append(p, "tQK\x00J"...)
	p = binary.LittleEndian.AppendUint32(p, size)
	p = append(p, "\x85J"...)
	p = binary.LittleEndian.AppendUint32(p, stride)
	p = append(p, "\x85\x89N"+"tRs."...)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range append([]string{"x/data.pkl", "x/data/0"}, again...) {
		content := make([]byte, 16)
		if name == "x/data.pkl" {
			content = p
		}
		w := must.M1(z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store}))
		must.M1(w.Write(content))
	}
	must.M(z.Close())
	return b.Bytes()
}

// Claims of a file are checked before memory is asked for.
func TestReadTorchHostile(t *testing.T) {
	must.M1(readTorch(hostile(t, 4, 4, 1)))           // the honest form
	legacy := string(torchFile(t, "legacy.pth")[:21]) // its magic number and version
	huge := func(op string, n int) []byte {           // a pickle that announces 2^62 bytes
		return append([]byte(legacy+"\x80\x02"+op), append(make([]byte, n-1), 0x40)...)
	}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"twice":      {hostile(t, 4, 4, 1, "x/data/0"), `"x/data/0" occurs twice`},
		"storage":    {hostile(t, 1<<30, 4, 1), "1073741824 values in a file of"},
		"length":     {hostile(t, 5, 4, 1), "has 16 bytes, expected 5 values"},
		"expanded":   {hostile(t, 4, 1<<30, 0), "does not fit into a file of this size"},
		"stride":     {hostile(t, 4, 4, 2), "reaches beyond its storage of 4 values"},
		"big stride": {hostile(t, 4, 4, 1<<30), "does not fit"},
		"negative":   {hostile(t, 4, 4, 1<<31), "does not fit"},
		"bytes":      {huge("\x8e", 8), "cut off, or announces more"},
		"frame":      {huge("\x95", 8), "cut off, or announces more"},
		"long":       {huge("\x8b", 4), "cut off, or announces more"},
		"old text":   {[]byte(legacy + "I12\n."), "instruction 0x49"},
	} {
		if _, err := readTorch(c.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", name, err, c.want)
		}
	}
}

// TestReadTorchRunsNothing: pickles that would run something, in every way that the format has to
// name a function, and archives that lead elsewhere. All are refused, and nothing was run.
func TestReadTorchRunsNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	text := func(s string) string { return "X" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(s)))) + s }
	call := func(module, name string) string {
		return "\x80\x02c" + module + "\n" + name + "\n" + text("touch was_run") + "\x85R."
	}
	pickles := map[string]string{
		"stack global":  "\x80\x04" + text("os") + text("system") + "\x93" + text("touch was_run") + "\x85R.",
		"instance":      "(S'touch was_run'\nios\nsystem\n.",
		"object":        "(cos\nsystem\n" + text("touch was_run") + "o.",
		"new object":    "\x80\x02cbuiltins\nexec\n" + text("open('was_run','w')") + "\x85\x81.",
		"new with keys": "\x80\x04cbuiltins\nexec\n" + text("open('was_run','w')") + "\x85}\x92.",
		"build":         "\x80\x02ctorch\nTensor\n)R}" + text("__setstate__") + "cos\nsystem\nsb" + text("touch was_run") + "b.",
		"extension":     "\x80\x02\x82\x01" + text("touch was_run") + "\x85R.",
		"nested":        "\x80\x02ctorch._utils\n_rebuild_tensor_v2\n(cos\nsystem\n" + text("touch was_run") + "\x85RtR.",
	}
	for _, f := range []string{"os system", "posix system", "nt system", "builtins eval", "builtins exec",
		"__builtin__ eval", "subprocess Popen",
		"importlib import_module", "runpy run_path", "torch load", "torch.hub load", "numpy load", "shutil rmtree",
		"copyreg _reconstructor", "webbrowser open"} {
		module, name, _ := strings.Cut(f, " ")
		pickles[f] = call(module, name)
	}
	for name, p := range pickles {
		for _, entry := range []string{"x/data.pkl", "../x/data.pkl", "/tmp/x/data.pkl"} {
			var b bytes.Buffer
			z := zip.NewWriter(&b)
			w := must.M1(z.Create(entry))
			w.Write([]byte(p))
			z.Close()
			if _, err := readTorch(b.Bytes()); err == nil {
				t.Errorf("%s in %s was read", name, entry)
			}
		}
	}
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
		t.Fatalf("a file's code was run: %v %v", left, err)
	}
}

func FuzzReadTorch(f *testing.F) {
	for _, name := range []string{"plain.pth", "legacy.pth", "protocol4.pt", "views.pth", "types.pth", "parameters.pth",
		"malicious.pth"} {
		f.Add(torchFile(f, name))
	}
	f.Add(hostile(f, 1<<30, 1<<30, 0))
	f.Fuzz(func(t *testing.T, data []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		set, err := readTorch(data)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20+200*uint64(len(data)) {
			t.Errorf("%d bytes allocated for a file of %d", used, len(data))
		}
		if err != nil {
			return
		}
		for _, n := range set.Names() {
			if v, _ := set.Get(n); len(v.Data) != size(v.Shape) {
				t.Errorf("%s: %d values for shape %v", n, len(v.Data), v.Shape)
			}
		}
	})
}
