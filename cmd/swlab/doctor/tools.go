package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// The versions that setup needs.
const (
	oldestGo     = "1.26.5"
	oldestPython = "3.10"
)

var versionNumber = regexp.MustCompile(`\d+(?:\.\d+)+`)

// ask runs a command that answers at once, and returns its output.
func ask(name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func checkGo(root string) Check {
	c := Check{Name: "Go", Fix: "install Go " + oldestGo + " or newer and put its bin folder on PATH"}
	if _, err := exec.LookPath("go"); err != nil {
		c.Found = "no go command on PATH"
		return c
	}
	// Inside the repository, the answer is the toolchain that go.mod selects.
	args := []string{"env", "GOVERSION"}
	if root != "" {
		args = []string{"-C", root, "env", "GOVERSION"}
	}
	out, err := ask("go", args...)
	if err != nil {
		c.Found = "`go env GOVERSION` failed: " + lastLine(out)
		return c
	}
	c.Found = out
	if atLeast(out, oldestGo) {
		c.OK, c.Fix = true, ""
	}
	return c
}

func checkCompiler() Check {
	c := Check{Name: "C compiler", Fix: "install gcc (Debian, Ubuntu: apt install gcc libc6-dev)"}
	cc, err := ask("go", "env", "CC")
	if err != nil || cc == "" {
		cc = "gcc"
	}
	command := strings.Fields(cc)[0]
	if _, err := exec.LookPath(command); err != nil {
		c.Found = "no " + filepath.Base(command) + " on PATH; the XLA backend is built with it"
		return c
	}
	c.OK, c.Found, c.Fix = true, filepath.Base(command), ""
	return c
}

// python is the interpreter that make uses: $PYTHON, or python3.
func python() string {
	if p := os.Getenv("PYTHON"); p != "" {
		return p
	}
	return "python3"
}

func checkPython() Check {
	c := Check{Name: "Python", Fix: "install Python " + oldestPython + " or newer, or name one: make PYTHON=/path/to/python3 setup"}
	out, err := ask(python(), "--version")
	if err != nil {
		c.Found = "no working " + filepath.Base(python()) + " on PATH"
		return c
	}
	c.Found = out
	if atLeast(out, oldestPython) {
		c.OK, c.Fix = true, ""
	}
	return c
}

func checkVenvModule(root string) Check {
	c := Check{Name: "Python venv", OK: true, Found: "venv and ensurepip are there"}
	if _, err := ask(python(), "-c", "import venv, ensurepip"); err == nil {
		return c
	}
	if root != "" && exists(filepath.Join(root, ".venv", "bin", "python")) {
		c.Found = "ensurepip is missing, but .venv is made already"
		return c
	}
	return Check{Name: c.Name, Found: "the modules venv and ensurepip are not both there", Fix: "install them (Debian, Ubuntu: apt install python3-venv), or name another Python: make PYTHON=/path/to/python3 setup"}
}

func checkVenv(root string) Check {
	c := Check{Name: ".venv", Found: "not made yet", Fix: fixSetup}
	if !exists(filepath.Join(root, ".venv")) {
		return c
	}
	out, err := ask(filepath.Join(root, ".venv", "bin", "python"), "--version")
	if err != nil {
		c.Found, c.Fix = "its Python does not start", "make clean setup"
		return c
	}
	c.Found = out
	if exists(filepath.Join(root, ".venv", ".done")) {
		c.OK, c.Fix = true, ""
	} else {
		c.Found += ", but the packages were not all installed"
	}
	return c
}

// checkJupyter reads the versions from the folders that pip leaves, because starting Jupyter takes
// seconds.
func checkJupyter(root string) Check {
	c := Check{Name: "Jupyter", OK: true}
	var found, missing []string
	for _, name := range []string{"jupyterlab", "nbclient", "nbconvert", "nbmake", "nbstripout"} {
		dirs, _ := filepath.Glob(filepath.Join(root, ".venv", "lib", "python*", "site-packages", name+"-*.dist-info"))
		if len(dirs) == 0 {
			missing = append(missing, name)
			continue
		}
		found = append(found, name+" "+strings.TrimSuffix(strings.TrimPrefix(filepath.Base(dirs[0]), name+"-"), ".dist-info"))
	}
	c.Found = strings.Join(found, ", ")
	if len(missing) > 0 {
		c.OK, c.Found, c.Fix = false, "missing in .venv: "+strings.Join(missing, ", "), fixSetup
	}
	return c
}

func checkTool(root, name string) Check {
	path := filepath.Join(root, ".bin", name)
	info, err := os.Stat(path)
	if err != nil || info.Mode()&0o111 == 0 {
		return Check{Name: name, Found: "not in .bin", Fix: fixSetup}
	}
	c := Check{Name: name, OK: true, Found: ".bin/" + name}
	if out, err := ask("go", "version", "-m", path); err == nil {
		for line := range strings.Lines(out) {
			if f := strings.Fields(line); len(f) >= 3 && f[0] == "mod" {
				c.Found += " " + f[2]
			}
		}
	}
	return c
}

func checkKernel(root string) Check {
	const where = ".jupyter/kernels/gonb"
	c := Check{Name: "Jupyter kernel", Fix: "git checkout -- .jupyter"}
	text, err := os.ReadFile(filepath.Join(root, where, "kernel.json"))
	if err != nil {
		c.Found = where + "/kernel.json is missing"
		return c
	}
	var spec struct {
		Name string   `json:"display_name"`
		Argv []string `json:"argv"`
	}
	if err := json.Unmarshal(text, &spec); err != nil || len(spec.Argv) == 0 {
		c.Found = where + "/kernel.json is not a kernel's description"
		return c
	}
	if info, err := os.Stat(filepath.Join(root, where, "run.sh")); err != nil || info.Mode()&0o111 == 0 {
		c.Found, c.Fix = where+"/run.sh is missing or not executable", "git checkout -- .jupyter && chmod +x "+where+"/run.sh"
		return c
	}
	return Check{Name: c.Name, OK: true, Found: fmt.Sprintf("%q in %s", spec.Name, where)}
}

func checkHugePages() Check {
	text, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	mode := strings.TrimSpace(string(text))
	c := Check{Name: "huge pages", OK: true, Found: mode}
	switch {
	case err != nil:
		c.Found = "not offered by this system (optional: they make XLA on the CPU 15 to 30 percent faster)"
	case strings.Contains(mode, "[never]"):
		c.Found += " (optional: an administrator can allow madvise, which makes XLA on the CPU 15 to 30 percent faster)"
	case !strings.Contains(os.Getenv("GLIBC_TUNABLES"), "glibc.malloc.hugetlb=1"):
		c.Found += ", not used by this process"
	default:
		c.Found += ", in use"
	}
	return c
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func lastLine(text string) string {
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// atLeast compares the first version number in text with oldest, part by part.
func atLeast(text, oldest string) bool {
	have := strings.Split(versionNumber.FindString(text), ".")
	for i, want := range strings.Split(oldest, ".") {
		if i >= len(have) {
			return false
		}
		h, _ := strconv.Atoi(have[i])
		w, _ := strconv.Atoi(want)
		if h != w {
			return h > w
		}
	}
	return true
}
