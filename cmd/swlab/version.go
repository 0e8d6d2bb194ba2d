package main

import (
	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/internal/version"
	"github.com/sliced-wasserstein/lab/swlab/engine"
)

type versionCall struct{ *common }

func newVersion(c *common) *cobra.Command {
	return c.command("version", "Print the version of the module, the commit, and the backend that would be used", "swlab version --format json", &versionCall{c})
}

// Unknown values are null.
type versionAnswer struct {
	Version string  `json:"version"`
	Commit  *string `json:"commit"`
	Dirty   bool    `json:"dirty"`
	Backend *string `json:"backend"`
	why     string
}

func (a versionAnswer) String() string {
	commit, backend := "unknown", "none"
	if a.Commit != nil {
		commit = *a.Commit
	}
	if a.Dirty {
		commit += ", with changes"
	}
	if a.Backend != nil {
		backend = *a.Backend
	}
	return lines([2]string{"swlab", a.Version}, [2]string{"commit", commit}, [2]string{"backend", backend + ": " + a.why})
}

// run prints what runs here. A missing backend is no error: the answer says so.
func (c *versionCall) run() error {
	v := version.Get()
	e, err := engine.Which(c.Backend)
	if err != nil {
		return c.print(versionAnswer{v.Version, known(v.Commit), v.Dirty, nil, oneLine(err)})
	}
	return c.print(versionAnswer{v.Version, known(v.Commit), v.Dirty, &e.Name, e.Why})
}
