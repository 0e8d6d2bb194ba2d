//go:build cgo && !noxla && (linux || darwin)

package engine

import (
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/go-xla/compute/xla"
	"github.com/gomlx/go-xla/pjrt"
	"github.com/sliced-wasserstein/lab/swlab/engine/internal/pluginpath"
)

// plugin is an XLA plugin file: a shared library that exports GetPjrtApi.
type plugin struct {
	name  string // What go-xla calls it: "cpu", "cpu_v0.83.1", "cuda".
	path  string // Absolute.
	first bool   // First file that go-xla's search by this name finds.
}

// cudaChecks is the variable with which go-xla's search for NVIDIA's libraries is switched off.
const cudaChecks = "GOPJRT_CUDA_CHECKS"

// pluginName matches the two spellings of a plugin's file name that go-xla knows, and that of JAX's
// wheels, xla_cuda_plugin.so, which go-xla opens by its path only.
var pluginName = regexp.MustCompile(`^(?:pjrt_c_api_(.+)_plugin|pjrt[-_]plugin[-_](.+)|xla_(.+)_plugin)\.(?:so|dylib|dll)$`)

// newPlugin returns the plugin of a file, by its name. ok is false if it is not a plugin's name.
func newPlugin(path string) (p plugin, searchable, ok bool) {
	match := pluginName.FindStringSubmatch(filepath.Base(path))
	if match == nil {
		return plugin{}, false, false
	}
	return plugin{name: match[1] + match[2] + match[3], path: path}, match[3] == "", true
}

// findPlugins lists the plugin files on the search path, in its order, without opening any.
func findPlugins() (found []plugin) {
	seen := map[string]bool{}
	for _, dir := range pluginpath.Folders() {
		entries, err := os.ReadDir(dir) // Sorted by name. A folder that is not there holds no plugin.
		if err != nil {
			continue
		}
		for _, entry := range entries {
			path, err := filepath.Abs(filepath.Join(dir, entry.Name()))
			if err != nil {
				continue
			}
			p, searchable, ok := newPlugin(path)
			if !ok {
				continue
			}
			if searchable {
				p.first = !seen[p.name]
				seen[p.name] = true
			}
			found = append(found, p)
		}
	}
	return found
}

func (p plugin) isCUDA() bool { return pjrt.IsCUDAName(p.name) }
func (p plugin) isCPU() bool  { return strings.Contains(p.name, "cpu") }

// where names the plugin for a reader: its path inside the repository or the home folder, never
// absolute.
func (p plugin) where() string {
	if root := pluginpath.Root(); root != "" {
		if rel, err := filepath.Rel(root, p.path); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	if at := strings.LastIndex(p.path, string(filepath.Separator)+".plugins"+string(filepath.Separator)); at >= 0 {
		return p.path[at+1:]
	}
	if home, err := os.UserHomeDir(); err == nil {
		if rel, err := filepath.Rel(home, p.path); err == nil && filepath.IsLocal(rel) {
			return filepath.Join("~", rel)
		}
	}
	return filepath.Base(p.path)
}

// open loads the plugin and makes a backend of it. It never panics: go-xla does on some broken
// files.
func (p plugin) open(options string) (backend compute.Backend, err error) {
	defer func() {
		if r := recover(); r != nil {
			backend, err = nil, fmt.Errorf("%s: %v", p.where(), r)
		}
	}()
	if err := p.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", p.where(), err)
	}
	if p.isCUDA() {
		// go-xla's own search knows ../nvidia only: it would warn of JAX's wheels, and name a folder
		// that holds no toolkit.
		if os.Getenv(cudaChecks) == "" {
			os.Setenv(cudaChecks, "no")
		}
		if hasNvidia() {
			if err := p.useToolkit(); err != nil {
				return nil, fmt.Errorf("%s: %w", p.where(), err)
			}
		}
	}

	// go-xla tells CPU from CUDA by the plugin's name, and names a plugin loaded by path after the
	// whole path. So load it by name first, which registers that name, but open it by path: opening
	// by name would try every file on the search path, and panic at the first that does not load.
	named := p.first && p.loadByName()
	config := p.path
	if pjrt.IsCUDAName(p.path) != p.isCUDA() || p.isCUDA() && strings.Contains(strings.ToLower(p.path), "cpu") || strings.Contains(p.path, ",") {
		if !named {
			return nil, fmt.Errorf("%s: go-xla misreads the name of the folder it lies in: use one without a comma and another kind of plugin (\"cpu\", \"cuda\", \"nvidia\")", p.where())
		}
		config = p.name
	}
	if p.isCUDA() && !strings.Contains(options, "tf32") {
		// TF32 rounds the factors of a matrix product to 10 bits: distances would then differ from
		// the CPU's in the third digit.
		options = strings.Trim("tf32=false,"+options, ",")
	}
	if options != "" {
		config += "," + options
	}
	b, err := xla.NewWithOptions(config, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %s", p.where(), p.withoutPath(firstLine(err)))
	}
	return b, nil
}

func (p plugin) loadByName() (ok bool) {
	defer func() { _ = recover() }()
	loaded, err := pjrt.GetPlugin(p.name)
	return err == nil && loaded.Path() == p.path
}

// check rejects files that would crash the system's loader: a truncated library ends the process
// with a bus error when its missing pages are touched.
func (p plugin) check() error {
	info, err := os.Stat(p.path) // Follows links.
	if errors.Is(err, os.ErrNotExist) {
		return errors.New("the link leads nowhere: run `make setup` again")
	}
	if err != nil {
		return errors.New(p.withoutPath(err.Error()))
	}
	if !info.Mode().IsRegular() {
		return errors.New("is not a file")
	}
	if runtime.GOOS != "linux" {
		return nil
	}
	file, err := elf.Open(p.path)
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

func (p plugin) withoutPath(message string) string {
	return strings.ReplaceAll(message, p.path, filepath.Base(p.path))
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
