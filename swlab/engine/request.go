package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gomlx/compute"
)

// Variable is the environment variable that chooses the backend if the caller does not.
const Variable = "SWLAB_BACKEND"

// The kinds of backend.
const (
	kindAuto = "auto" // The best that works; the pure-Go backend in the end.
	kindXLA  = "xla"  // The best XLA plugin that works, or an error.
	kindCUDA = "xla:cuda"
	kindCPU  = "xla:cpu"
	kindFile = "file" // One plugin file, by its absolute path.
	kindGo   = "go"
)

// request is a parsed choice of backend.
type request struct {
	kind    string
	file    string // With kindFile only.
	options string // go-xla's options: "tf32=true,preallocate=true".
	asked   string // How errors name the choice: `backend "xla:cuda" (from SWLAB_BACKEND)`.
	env     string // The variable it came from, or "".
}

// resolve reads the caller's choice or, if there is none, the environment's.
func resolve(want string) (request, error) {
	want = strings.TrimSpace(want)
	env := ""
	if want == "" || want == kindAuto {
		for _, name := range []string{Variable, compute.ConfigEnvVar} {
			if value := strings.TrimSpace(os.Getenv(name)); value != "" && value != kindAuto {
				want, env = value, name
				break
			}
		}
	}
	r := request{kind: want, asked: fmt.Sprintf("backend %q", want), env: env}
	if env != "" {
		r.asked += " (from the environment variable " + env + ")"
	}
	name, options, _ := strings.Cut(want, ",")
	switch {
	case want == "" || want == kindAuto:
		r.kind = kindAuto
	case name == kindXLA || name == kindCUDA || name == kindCPU:
		r.kind, r.options = name, options
	case strings.HasPrefix(name, "xla:") && filepath.IsAbs(name[len("xla:"):]):
		r.kind, r.file, r.options = kindFile, name[len("xla:"):], options
	case want == kindGo:
	default:
		return r, fmt.Errorf("%s is unknown: expected auto, xla:cuda, xla:cpu or go", r.asked)
	}
	return r, nil
}
