package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/cmd/swlab/doctor"
	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/engine"
)

type doctorCall struct{ *common }

func newDoctor(c *common) *cobra.Command {
	return c.command("doctor", "Check what is here, and print the commands that install what is missing", "swlab doctor", &doctorCall{c})
}

type doctorAnswer struct {
	Backend string         `json:"backend"`
	OK      bool           `json:"ok"`
	Checks  []doctor.Check `json:"checks"`
}

func (a doctorAnswer) String() string {
	var rows [][2]string
	for _, k := range a.Checks {
		text := "ok       " + k.Found
		if !k.OK {
			text = "MISSING  " + k.Found
		}
		if k.Fix != "" {
			text += "  ->  " + k.Fix
		}
		rows = append(rows, [2]string{k.Name, text})
	}
	return lines(rows...)
}

func (c *doctorCall) run() error {
	backend := ""
	e, err := engine.Which(c.Backend)
	if err == nil {
		backend = e.Name
	}
	checks := append(doctor.Examine(""), builtin())
	if c.Backend != "auto" || err != nil {
		checks = append(checks, chosen(e, err))
	}
	ok := !slices.ContainsFunc(checks, func(k doctor.Check) bool { return !k.OK })
	return c.print(doctorAnswer{backend, ok, checks})
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
