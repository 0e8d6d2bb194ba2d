package xlaenv

import (
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
)

// Nvidia reports whether there is an NVIDIA device: its files, or an nvidia-smi that answers.
var Nvidia = sync.OnceValue(func() bool {
	if runtime.GOOS != "linux" {
		return false
	}
	if files, _ := filepath.Glob("/dev/nvidia*"); len(files) > 0 {
		return true
	}
	out, err := exec.Command("nvidia-smi").CombinedOutput()
	return err == nil && strings.Contains(string(out), "NVIDIA-SMI")
})

// Plugin is an XLA plugin file: a shared library that exports GetPjrtApi.
type Plugin struct {
	Name  string // What go-xla calls it: "cpu", "cpu_v0.83.1", "cuda".
	Path  string // Absolute.
	First bool   // First file that go-xla's search by this name finds.
}

// pluginName matches the two spellings of a plugin's file name that go-xla knows, and that of JAX's
// wheels, xla_cuda_plugin.so, which go-xla opens by its path only.
var pluginName = regexp.MustCompile(`^(?:pjrt_c_api_(.+)_plugin|pjrt[-_]plugin[-_](.+)|xla_(.+)_plugin)\.(?:so|dylib|dll)$`)

// NewPlugin returns the plugin of a file, by its name. ok is false if it is not a plugin's name.
func NewPlugin(path string) (p Plugin, searchable, ok bool) {
	match := pluginName.FindStringSubmatch(filepath.Base(path))
	if match == nil {
		return Plugin{}, false, false
	}
	return Plugin{Name: match[1] + match[2] + match[3], Path: path}, match[3] == "", true
}

// Plugins lists the plugin files on the search path, in its order, without opening any.
func Plugins() (found []Plugin) {
	seen := map[string]bool{}
	for _, dir := range Folders() {
		entries, err := os.ReadDir(dir) // Sorted by name. A folder that is not there holds no plugin.
		if err != nil {
			continue
		}
		for _, entry := range entries {
			path, err := filepath.Abs(filepath.Join(dir, entry.Name()))
			if err != nil {
				continue
			}
			p, searchable, ok := NewPlugin(path)
			if !ok {
				continue
			}
			if searchable {
				p.First = !seen[p.Name]
				seen[p.Name] = true
			}
			found = append(found, p)
		}
	}
	return found
}

// IsCUDA reports whether the plugin is named as one for NVIDIA's devices.
func (p Plugin) IsCUDA() bool { return IsCUDAName(p.Name) }

// IsCPU reports whether it is named as one for the CPU.
func (p Plugin) IsCPU() bool { return strings.Contains(p.Name, "cpu") }

// Where names the plugin for a reader: its path inside the repository or the home folder, never
// absolute.
func (p Plugin) Where() string {
	if root := Root(); root != "" {
		if rel, err := filepath.Rel(root, p.Path); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	if at := strings.LastIndex(p.Path, string(filepath.Separator)+".plugins"+string(filepath.Separator)); at >= 0 {
		return p.Path[at+1:]
	}
	if home, err := os.UserHomeDir(); err == nil {
		if rel, err := filepath.Rel(home, p.Path); err == nil && filepath.IsLocal(rel) {
			return filepath.Join("~", rel)
		}
	}
	return filepath.Base(p.Path)
}

// Check rejects files that would crash the system's loader: a truncated library ends the process
// with a bus error when its missing pages are touched.
func (p Plugin) Check() error {
	info, err := os.Stat(p.Path) // Follows links.
	if errors.Is(err, os.ErrNotExist) {
		return errors.New("the link leads nowhere: run `make setup` again")
	}
	if err != nil {
		return errors.New(strings.ReplaceAll(err.Error(), p.Path, filepath.Base(p.Path)))
	}
	if !info.Mode().IsRegular() {
		return errors.New("is not a file")
	}
	if runtime.GOOS != "linux" {
		return nil
	}
	file, err := elf.Open(p.Path)
	if err != nil {
		return errors.New("is not a shared library")
	}
	defer file.Close()
	if file.Type != elf.ET_DYN {
		return errors.New("is not a shared library")
	}
	for _, segment := range file.Progs {
		if segment.Off+segment.Filesz > uint64(info.Size()) {
			return fmt.Errorf("is cut short: its header asks for %d bytes, the file has %d", segment.Off+segment.Filesz, info.Size())
		}
	}
	return nil
}

// IsCUDAName is how go-xla tells a plugin for NVIDIA's devices, by its name or path.
func IsCUDAName(name string) bool {
	upper := strings.ToUpper(name)
	return strings.Contains(upper, "CUDA") || strings.Contains(upper, "NVIDIA")
}
