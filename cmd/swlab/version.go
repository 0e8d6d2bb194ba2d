package main

import (
	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/internal/version"
	"github.com/sliced-wasserstein/lab/swlab/engine"
)

func newVersion(c *common) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "version of the module, commit, and the backend that would be used",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return c.version() },
	}
}

// version prints what runs here. A missing backend is no error: the answer says so.
func (c *common) version() error {
	v := version.Get()
	commit := any(nil)
	text := "unknown"
	if v.Commit != "" {
		commit, text = v.Commit, v.Commit
		if v.Dirty {
			text += ", with changes"
		}
	}
	var backend any
	shown := ""
	if e, err := engine.Which(c.backend); err != nil {
		shown = "none: " + oneLine(err)
	} else {
		backend, shown = e.Name, e.Name+": "+e.Why
	}
	return c.print(map[string]any{"version": v.Version, "commit": commit, "dirty": v.Dirty, "backend": backend},
		[2]string{"swlab", v.Version}, [2]string{"commit", text}, [2]string{"backend", shown})
}
