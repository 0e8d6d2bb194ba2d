// Package version says which version of this module is running.
package version

import (
	"runtime/debug"
	"strings"
	"sync"
)

// Module is the path of this module.
const Module = "github.com/sliced-wasserstein/lab"

// commit is set by the linker where Go does not stamp programs with it:
//
//	go build -ldflags "-X github.com/sliced-wasserstein/lab/internal/version.commit=$(git rev-parse HEAD)"
//
// A suffix "-dirty" marks changed files.
var commit string

// Info is a version.
type Info struct {
	// Version is such as v1.2.0, or devel for a program built from a working copy; with +COMMIT if
	// known and useful.
	Version string `json:"version"`
	Commit  string `json:"commit"` // "": unknown
	Dirty   bool   `json:"dirty"`  // files had been changed since the commit
}

// Get returns the running version. In a program of another module it is that of the module it
// depends on.
var Get = sync.OnceValue(func() Info {
	b, ok := debug.ReadBuildInfo()
	if !ok {
		b = &debug.BuildInfo{}
	}
	return of(b, commit)
})

// String returns Get's Version, as used in answers and result files.
func String() string { return Get().Version }

// of derives the version from Go's build information and the commit given by the linker.
func of(b *debug.BuildInfo, commit string) Info {
	commit, dirty := strings.CutSuffix(commit, "-dirty")
	i := Info{Commit: commit, Dirty: dirty}
	main := b.Main.Path == Module
	version := b.Main.Version
	if !main {
		version = ""
		for _, d := range b.Deps {
			if d.Path == Module {
				for d.Replace != nil {
					d = d.Replace
				}
				version = d.Version
			}
		}
	}
	for _, s := range b.Settings {
		if !main || i.Commit != "" && commit != "" {
			break // Go's stamp is of another module, or the linker set it
		}
		switch s.Key {
		case "vcs.revision":
			i.Commit = s.Value
		case "vcs.modified":
			i.Dirty = s.Value == "true"
		}
	}
	if version == "" || version == "(devel)" {
		version = "devel"
	}
	i.Version = version
	short := i.Commit[:min(len(i.Commit), 12)]
	if short != "" && !strings.Contains(version, short) {
		i.Version += "+" + short
		if i.Dirty {
			i.Version += ".dirty"
		}
	}
	return i
}
