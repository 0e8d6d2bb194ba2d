package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// TestUnwritableFolder: an unwritable folder is found before the work, for files and for folders.
func TestUnwritableFolder(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can look at files as somebody else")
	}
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := syscall.Setfsuid(65534); err != nil {
		t.Skip("cannot look at files as somebody else: ", err)
	}
	defer func() { _ = syscall.Setfsuid(0) }() // cannot fail for a former root
	if f, err := os.Create(filepath.Join(dir, "probe")); err == nil {
		f.Close()
		t.Skip("everybody may write everywhere here")
	}
	for flag, call := range map[string]string{
		"--out":      "vmf sample --kappa 1 --location 0,0,1 --n 5 --out " + filepath.Join(dir, "s.npy"),
		"--pictures": "table run ablation_L --preset smoke --out " + dir + " --pictures " + dir,
		"--store":    "metrics --reference none.npy --generated none.npy --store " + filepath.Join(dir, "a", "b"),
	} {
		root := newRoot()
		root.SetArgs(strings.Fields(call))
		err := root.Execute()
		if err == nil || !strings.HasPrefix(err.Error(), flag+": no file can be made there: "+dir) || !strings.Contains(err.Error(), fs.ErrPermission.Error()) {
			t.Errorf("%s: %v", call, err)
		}
	}
}
