package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/cmd/swlab/doctor"
	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/engine"
)

func newDoctor(c *common) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "what was found here, and the commands that install what is missing",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			backend := ""
			e, err := engine.Which(c.backend)
			if err == nil {
				backend = e.Name
			}
			checks := append(doctor.Examine(""), builtin())
			if c.backend != "auto" || err != nil {
				checks = append(checks, chosen(e, err))
			}
			ok := true
			var rows [][2]string
			for _, k := range checks {
				ok = ok && k.OK
				text := "ok       " + k.Found
				if !k.OK {
					text = "MISSING  " + k.Found
				}
				if k.Fix != "" {
					text += "  ->  " + k.Fix
				}
				rows = append(rows, [2]string{k.Name, text})
			}
			return c.print(map[string]any{"backend": backend, "ok": ok, "checks": checks}, rows...)
		},
	}
}

// chosen is the check of the requested backend.
func chosen(e *engine.Engine, err error) doctor.Check {
	if err != nil {
		return doctor.Check{Name: "backend asked for", Found: oneLine(err), Fix: "make setup"}
	}
	return doctor.Check{Name: "backend asked for", OK: true, Found: e.Name + ": " + e.Why}
}

// builtin checks the data that need no download.
func builtin() doctor.Check {
	set, err := datasets.Load("builtin", datasets.Options{Points: 1})
	if err != nil {
		return doctor.Check{Name: "built-in shapes", Found: oneLine(err), Fix: "git checkout -- datasets"}
	}
	return doctor.Check{Name: "built-in shapes", OK: true, Found: fmt.Sprintf("%s, %d clouds of %d classes", datasets.ShapesVersion, set.Clouds, len(set.Classes))}
}
