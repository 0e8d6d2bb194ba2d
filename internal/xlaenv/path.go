// Package xlaenv is what XLA needs around a program: where plugins and NVIDIA's files lie, and the
// environment in which the program has to start.
//
// go-xla reads PJRT_PLUGIN_LIBRARY_PATH once, when its package pjrt is initialised, and never
// again. To be in time, this package sets the variable in its own init and imports nothing but the
// standard library: Go initialises packages that are ready in the order of their import paths, and
// pjrt has to wait for k8s.io/klog, which sorts after every path of this module. A program that
// imports this package therefore finds the plugins without any set-up of its environment, also
// under "go test" and "go run".
package xlaenv

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Variable is the environment variable that go-xla reads: folders, separated by the system's list
// separator.
const Variable = "PJRT_PLUGIN_LIBRARY_PATH"

const (
	folder = ".plugins"
	module = "module github.com/sliced-wasserstein/lab"
)

// added says that this package has set Variable. A program that starts another one leaves it out.
var added bool

func init() {
	root := pluginRoot()
	if root == "" {
		return
	}
	if os.Getenv(Variable) == "" {
		added = os.Setenv(Variable, strings.Join(folders(root), string(filepath.ListSeparator))) == nil
	}
}

// Folders lists where plugins are searched for, best first: those of the user's
// PJRT_PLUGIN_LIBRARY_PATH alone or, without it, the repository's .plugins folder (if any) and then
// the places of go-xla's installer.
func Folders() []string {
	if list := os.Getenv(Variable); list != "" {
		return filepath.SplitList(list)
	}
	return folders(pluginRoot())
}

func folders(root string) (dirs []string) {
	if root != "" {
		for _, kind := range []string{"cuda", "cpu", "go-xla"} {
			dirs = append(dirs, filepath.Join(root, folder, kind))
		}
	}
	if home, err := os.UserHomeDir(); err == nil {
		lib := filepath.Join(home, ".local", "lib")
		if runtime.GOOS == "darwin" {
			lib = filepath.Join(home, "Library", "Application Support")
		}
		dirs = append(dirs, filepath.Join(lib, "go-xla", "nvidia"), filepath.Join(lib, "go-xla"))
	}
	return append(dirs, "/usr/local/lib/go-xla/nvidia", "/usr/local/lib/go-xla")
}

// Root returns the folder of this repository: the nearest parent of the working directory, or else
// of the running executable, whose go.mod is this module's. It returns "" if there is none.
func Root() string {
	return nearest(func(dir string) bool {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		return err == nil && (strings.HasPrefix(string(text), module+"\n") || strings.Contains(string(text), "\n"+module+"\n"))
	})
}

// pluginRoot returns the nearest parent that holds a .plugins folder. It skips folders that
// everyone may write to, such as the system's temporary folder, because code is loaded from here.
func pluginRoot() string {
	return nearest(func(dir string) bool {
		if !isFolder(filepath.Join(dir, folder)) {
			return false
		}
		info, err := os.Stat(dir)
		return err == nil && info.Mode().Perm()&0o002 == 0
	})
}

func nearest(fits func(dir string) bool) string {
	var starts []string
	if dir, err := os.Getwd(); err == nil {
		starts = append(starts, dir)
	}
	if exe, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(exe); err == nil {
			exe = real
		}
		starts = append(starts, filepath.Dir(exe))
	}
	for _, dir := range starts {
		for {
			if fits(dir) {
				return dir
			}
			parent := filepath.Dir(dir)
			if parent == dir {
				break
			}
			dir = parent
		}
	}
	return ""
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
