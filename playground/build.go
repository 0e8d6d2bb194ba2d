//go:build !js

package main

import (
	"bytes"
	"compress/gzip"
	_ "embed" // embeds the page and the worker
	"encoding/ascii85"
	"encoding/json"
	"fmt"
	"image/color"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/sliced-wasserstein/lab/vmfviz"
)

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.js
	pageScript string
	//go:embed page.css
	pageStyle string
	//go:embed worker.js
	workerScript string
)

// build compiles this program to WebAssembly and writes the page around it: program and weights are
// inside, compressed, for a page opened from a file may fetch nothing. It runs in this folder's
// module, with Go's own script for WebAssembly.
func build(page string) error {
	temp, err := os.MkdirTemp("", "playground")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	program := filepath.Join(temp, "playground.wasm")
	compile := exec.Command("go", "build", "-trimpath", "-tags", "swlab_page", "-ldflags", "-s -w", "-o", program, "./playground")
	compile.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	compile.Stderr = os.Stderr
	if err := compile.Run(); err != nil {
		return fmt.Errorf("compiling ./playground for js/wasm: %w", err)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	support, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return err
	}
	wasm, err := packed(program)
	if err != nil {
		return err
	}
	names, err := filepath.Glob("playground/weights/*.safetensors")
	if err != nil {
		return err
	}
	files := map[string]string{}
	for _, name := range names {
		if files["weights/"+filepath.Base(name)], err = packed(name); err != nil {
			return err
		}
	}
	inside, err := json.Marshal(map[string]any{"wasm": wasm, "files": files})
	if err != nil {
		return err
	}
	out := strings.NewReplacer("{{theme}}", theme(), "{{style}}", pageStyle, "{{inside}}", string(inside), "{{support}}", string(support),
		"{{worker}}", workerScript, "{{script}}", pageScript).Replace(pageHTML)
	if err := os.MkdirAll(filepath.Dir(page), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(page, []byte(out), 0o644); err != nil {
		return err
	}
	fmt.Printf("  %s: %.1f MB\n", page, float64(len(out))/1e6)
	return nil
}

// plain puts letters in place of those of Ascii85 that mean something in JSON and in a page.
var plain = strings.NewReplacer("<", "v", `\`, "w", `"`, "x", ">", "y", "&", "{")

// packed is a file, compressed by gzip, in Ascii85: four bytes take five letters.
func packed(path string) (string, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if _, err := z.Write(raw); err != nil {
		return "", err
	}
	if err := z.Close(); err != nil {
		return "", err
	}
	text := make([]byte, ascii85.MaxEncodedLen(b.Len()))
	return plain.Replace(string(text[:ascii85.Encode(text, b.Bytes())])), nil
}

// theme is the colours of the page: those of the module's pictures, with a dark ground beside the
// light one.
func theme() string {
	t := vmfviz.DefaultTheme()
	var shades []string
	for _, c := range t.Map {
		shades = append(shades, hex(c))
	}
	light := fmt.Sprintf("--card: %s; --edge: %s; --ink: %s; --muted: %s; --grid: %s; --x: %s; --y: %s; --theta: %s; --theta-text: #8f3f70; --ground: #f6f8fa; --link: %s; color-scheme: light;",
		hex(t.Background), hex(t.Edge), hex(t.Text), hex(t.Muted), hex(t.Grid), hex(t.Input), hex(t.Output), hex(t.Direction), hex(t.Input))
	const dark = "--card: #161b22; --edge: #343c46; --ink: #e6edf3; --muted: #9aa4af; --grid: #262d36; --x: #3d9bd6; --y: #ee7b33; --theta: #d98bb6; --theta-text: #e6a3c8; --ground: #0d1117; --link: #6cb6ff; color-scheme: dark;"
	return fmt.Sprintf(":root { %s --map: %s; }\n@media (prefers-color-scheme: dark) { :root:not([data-theme=light]) { %s } }\n:root[data-theme=dark] { %s }",
		light, strings.Join(shades, " "), dark, dark)
}

func hex(c color.Color) string {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	return fmt.Sprintf("#%02x%02x%02x", n.R, n.G, n.B)
}
