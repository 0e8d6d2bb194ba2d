//go:build unix

package client

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
)

// detach makes a command outlive this program, and its terminal.
func detach(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// mapped is the content of a file, in memory of this program's own as far as it is written to.
func mapped(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return nil, err
	}
	return syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE)
}

// shared returns the socket of the process of that name, in a folder that is the user's alone.
func shared(name string) (socket string, err error) {
	if name == "" || filepath.Base(name) != name || len(name) > 40 {
		return "", fmt.Errorf("share: expected a name of at most 40 letters and digits, found %q", name)
	}
	dir := filepath.Join(os.TempDir(), "swlab-lab-"+strconv.Itoa(os.Getuid())+"-"+name)
	if err := os.Mkdir(dir, 0o700); err != nil && !os.IsExist(err) {
		return "", err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return "", err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.IsDir() || int(stat.Uid) != os.Getuid() || info.Mode().Perm() != 0o700 {
		return "", fmt.Errorf("share: %s is not a folder of this user alone", dir)
	}
	return filepath.Join(dir, "socket"), nil
}
