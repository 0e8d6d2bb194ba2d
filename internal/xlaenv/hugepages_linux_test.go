//go:build cgo && !noxla

package xlaenv

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/janpfeifer/must"
)

type restarted struct {
	Pid      int
	Args     []string
	Stdin    string
	Tunables string
	Plugins  string // PJRT_PLUGIN_LIBRARY_PATH before this package has had a say.
	Ignored  bool   // SIGHUP.
}

// The test runs this test binary again, with childMode set.
const childMode = "SWLAB_XLAENV_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childMode) == "" {
		os.Exit(m.Run())
	}
	HugePages()
	stdin, _ := io.ReadAll(os.Stdin)
	json.NewEncoder(os.Stdout).Encode(restarted{os.Getpid(), os.Args[1:], string(stdin), os.Getenv(tunables), os.Getenv(Variable), signal.Ignored(syscall.SIGHUP)})
	fmt.Fprintln(os.Stderr, "to the standard error")
	if len(os.Args) > 2 {
		os.Exit(7)
	}
}

func TestHugePagesRestartsInPlace(t *testing.T) {
	enabled, err := os.ReadFile(transparentHugePages)
	if err != nil || strings.Contains(string(enabled), "[never]") {
		t.Skipf("transparent huge pages are not allowed here (%q, %v)", enabled, err)
	}
	self := must.M1(os.Executable())
	for _, c := range []struct{ before, after string }{
		{"", "glibc.malloc.hugetlb=1"},
		{"glibc.malloc.arena_max=4", "glibc.malloc.arena_max=4:glibc.malloc.hugetlb=1"},
		{"glibc.malloc.hugetlb=0", "glibc.malloc.hugetlb=0"},
	} {
		// nohup's way: the shell ignores SIGHUP, which must survive both starts.
		cmd := exec.Command("/bin/sh", "-c", `trap '' HUP; exec "$0" "$@"`, self, "a b", "")
		cmd.Dir = t.TempDir()
		must.M(os.Mkdir(cmd.Dir+"/.plugins", 0o755))
		cmd.Env = []string{childMode + "=1", tunables + "=" + c.before}
		cmd.Stdin = strings.NewReader("typed")
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 7 {
			t.Fatalf("the exit code is lost: %v\n%s", err, stderr.String())
		}
		var got restarted
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if got.Pid != cmd.Process.Pid || !slices.Equal(got.Args, []string{"a b", ""}) || got.Stdin != "typed" || !got.Ignored ||
			got.Tunables != c.after || stderr.String() != "to the standard error\n" {
			t.Errorf("%q: got %+v (process %d), standard error %q", c.before, got, cmd.Process.Pid, stderr.String())
		}
	}
}

func TestRestartEnvironment(t *testing.T) {
	const madvise = "always [madvise] never\n"
	for _, c := range []struct {
		env       []string
		enabled   string
		libraries []string
		want      []string // nil: no restart.
	}{
		{[]string{"A=1"}, madvise, nil, []string{"A=1", "GLIBC_TUNABLES=glibc.malloc.hugetlb=1"}},
		{[]string{"A=1"}, "[always] madvise never", nil, []string{"A=1", "GLIBC_TUNABLES=glibc.malloc.hugetlb=1"}},
		{[]string{"A=1"}, "always madvise [never]", nil, nil},
		{[]string{"A=1"}, "", nil, nil},
		{[]string{"GLIBC_TUNABLES=glibc.malloc.hugetlb=2"}, madvise, nil, nil},
		{[]string{"LD_LIBRARY_PATH=/c"}, "", []string{"/a", "/b"}, []string{"LD_LIBRARY_PATH=/a:/b:/c"}},
		{[]string{"LD_LIBRARY_PATH=/b:/a"}, "", []string{"/a", "/b"}, nil},
		{nil, "", []string{"/a"}, []string{"LD_LIBRARY_PATH=/a"}},
	} {
		got, changed := restartEnvironment(c.env, c.enabled, c.libraries)
		if changed != (c.want != nil) || changed && !slices.Equal(got, c.want) {
			t.Errorf("%q %q %q: got %q, %v", c.env, c.enabled, c.libraries, got, changed)
		}
	}
}
