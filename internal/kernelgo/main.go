// Command kernelgo is the `go` that the notebook kernel finds first on its PATH. It does what Go's
// own does, and four things differ in the kernel's folder, where every cell is built as main.go:
//
//   - Build: while the packages that a cell imports are those of an earlier build, main.go is
//     compiled and linked with the files of that build, without asking for each of 474 packages whether it
//     is up to date ([recipe]); declarations that the cell does not reach are left out ([cell.prune]).
//     Everything else is `go build`.
//   - A cell that imports package lab is built without the library unless it needs it, and its last
//     expression shows itself ([cell.needsLibrary], [cell.showLast]).
//   - Functions init of two cells that register under one name, or that would replace each other, are
//     told apart ([cell.settle]).
//   - Module: the kernel's module requires this one from its start, so that `go get` keeps the
//     versions which this one is tested with.
//
// Under the name gopls it is gopls at low priority, which reads the packages after the first cell ([complete]).
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const module = "github.com/sliced-wasserstein/lab"

func main() {
	name := filepath.Base(os.Args[0])
	if len(os.Args) > 3 && os.Args[1] == recordFlag {
		os.Exit(record(os.Args[2], os.Args[3:]))
	}
	real, err := behind(name)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if socket, ok := strings.CutPrefix(strings.Join(os.Args[1:], " "), "-listen unix;"); name == "gopls" && ok {
		fmt.Fprintln(os.Stderr, complete(real, socket))
		os.Exit(1)
	}
	dir, err := os.Getwd()
	if folder := os.Getenv("GONB_TMP_DIR"); err != nil || folder == "" || !same(dir, folder) {
		become(real)
	}
	switch args := os.Args[1:]; {
	case len(args) >= 3 && args[0] == "build" && args[1] == "-o":
		os.Exit(build(real, dir, args[2], args[3:]))
	case slices.Equal(args, []string{"get"}) && newBuilder(real, dir, nil).has():
		os.Exit(0) // nothing to get
	case len(args) == 3 && args[0] == "mod" && args[1] == "init" && os.Getenv("SWLAB_ROOT") != "":
		code := run(exec.Command(real, args...))
		if code == 0 {
			code = run(exec.Command(real, "mod", "edit", "-require="+module+"@v0.0.0"))
		}
		os.Exit(code)
	}
	become(real)
}

// behind returns the program of that name that stands behind this one on the PATH.
func behind(name string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		path, err := exec.LookPath(filepath.Join(dir, name))
		if err == nil && !same(path, self) {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s: not found on the PATH behind %s", name, self)
}

// same reports whether two paths are one file.
func same(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// run runs c on this process's streams and returns its exit code.
func run(c *exec.Cmd) int {
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := c.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return max(exit.ExitCode(), 1)
	} else if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// build is `go build -o out flags...` in the kernel's folder.
func build(real, dir, out string, flags []string) int {
	b := newBuilder(real, dir, flags)
	if b == nil {
		_ = os.Setenv("GOFLAGS", withLibrary(os.Getenv("GOFLAGS")))
		become(real)
	}
	if text := b.cell.settle(); text != "" {
		fmt.Print(text)
		return 1
	}
	if b.cell.changed {
		if err := os.WriteFile(filepath.Join(dir, "main.go"), b.cell.source, 0o600); err != nil {
			fmt.Println(err)
			return 1
		}
	}
	if code, ok := b.fast(out); ok {
		return code
	}
	return b.slow(out)
}

// known lists the flags of `go build` whose effect the recorded commands hold.
func known(flag string) bool {
	name, _, ok := strings.Cut(strings.TrimLeft(flag, "-"), "=")
	return ok && slices.Contains([]string{"tags", "ldflags", "gcflags"}, name) || flag == "-race"
}
