//go:build cgo && !noxla && (linux || darwin)

package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/go-xla/compute/xla"
	"github.com/gomlx/go-xla/pjrt"

	"github.com/sliced-wasserstein/lab/internal/xlaenv"
)

// cudaChecks is the variable with which go-xla's search for NVIDIA's libraries is switched off.
const cudaChecks = "GOPJRT_CUDA_CHECKS"

// openBackend loads the plugin and makes a backend of it. It never panics: go-xla does on some broken
// files.
func openBackend(p xlaenv.Plugin, options string) (backend compute.Backend, err error) {
	defer func() {
		if r := recover(); r != nil {
			backend, err = nil, fmt.Errorf("%s: %v", p.Where(), r)
		}
	}()
	if err := p.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", p.Where(), err)
	}
	if p.IsCUDA() {
		// go-xla's own search knows ../nvidia only: it would warn of JAX's wheels, and name a folder
		// that holds no toolkit.
		if os.Getenv(cudaChecks) == "" {
			os.Setenv(cudaChecks, "no")
		}
		if xlaenv.Nvidia() {
			if err := p.UseToolkit(); err != nil {
				return nil, fmt.Errorf("%s: %w", p.Where(), err)
			}
			if err := p.Tune(); err != nil {
				return nil, fmt.Errorf("%s: %w", p.Where(), err)
			}
		}
	}

	// go-xla tells CPU from CUDA by the plugin's name, and names a plugin loaded by path after the
	// whole path. So load it by name first, which registers that name, but open it by path: opening
	// by name would try every file on the search path, and panic at the first that does not load.
	named := p.First && loadByName(p)
	config := p.Path
	if xlaenv.IsCUDAName(p.Path) != p.IsCUDA() || p.IsCUDA() && strings.Contains(strings.ToLower(p.Path), "cpu") || strings.Contains(p.Path, ",") {
		if !named {
			return nil, fmt.Errorf("%s: go-xla misreads the name of the folder it lies in: use one without a comma and another kind of plugin (\"cpu\", \"cuda\", \"nvidia\")",
				p.Where())
		}
		config = p.Name
	}
	if p.IsCUDA() && !strings.Contains(options, "tf32") {
		// TF32 rounds the factors of a matrix product to 10 bits: distances would then differ from
		// the CPU's in the third digit.
		options = strings.Trim("tf32=false,"+options, ",")
	}
	if options != "" {
		config += "," + options
	}
	b, err := xla.NewWithOptions(config, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %s", p.Where(), withoutPath(p, firstLine(err)))
	}
	return b, nil
}

func loadByName(p xlaenv.Plugin) (ok bool) {
	defer func() { _ = recover() }()
	loaded, err := pjrt.GetPlugin(p.Name)
	return err == nil && loaded.Path() == p.Path
}

func withoutPath(p xlaenv.Plugin, message string) string {
	return strings.ReplaceAll(message, p.Path, filepath.Base(p.Path))
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
