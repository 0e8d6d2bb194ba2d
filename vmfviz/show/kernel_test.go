//go:build unix

package show

import (
	"encoding/gob"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/janpfeifer/gonb/gonbui/protocol"
	"github.com/janpfeifer/must"
)

// TestKernel runs a cell as a process of its own, whose other side plays the
// kernel: what is shown must pass the pipe in the kernel's own encoding, and
// Done must wait for the kernel's answer.
func TestKernel(t *testing.T) {
	dir := t.TempDir()
	to, back := filepath.Join(dir, "to"), filepath.Join(dir, "back")
	for _, p := range []string{to, back} {
		if err := syscall.Mkfifo(p, 0o600); err != nil {
			t.Skipf("no named pipes here: %v", err)
		}
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestKernelCell$")
	cmd.Env = append(os.Environ(), protocol.GONB_PIPE_ENV+"="+to, protocol.GONB_PIPE_BACK_ENV+"="+back)
	cmd.Stderr = os.Stderr
	must.M(cmd.Start())
	watch := time.AfterFunc(20*time.Second, func() { _ = cmd.Process.Kill() })
	defer watch.Stop()
	// Opened for both ways, so that a cell that dies cannot block this side.
	in := must.M1(os.OpenFile(to, os.O_RDWR, 0))
	defer in.Close()
	out := must.M1(os.OpenFile(back, os.O_RDWR, 0))
	defer out.Close()
	ended := make(chan error, 1)
	go func() { err := cmd.Wait(); in.Close(); ended <- err }()

	decode, encode := gob.NewDecoder(in), gob.NewEncoder(out)
	var got []protocol.DisplayData
	for {
		var d protocol.DisplayData
		if err := decode.Decode(&d); err != nil {
			break // the cell has ended
		}
		if v, ok := d.Data[protocol.MIMECommValue].(protocol.CommValue); ok {
			must.M(encode.Encode(&protocol.CommValue{Address: protocol.GonbuiSyncAckAddress, Value: v.Value}))
			continue
		}
		got = append(got, d)
	}
	if err := <-ended; err != nil {
		t.Fatalf("the cell failed: %v", err)
	}
	if len(got) != 5 {
		t.Fatalf("%d outputs, expected 5", len(got))
	}
	if meta, _ := got[0].Metadata["image/png"].(map[string]int); meta["width"] == 0 {
		t.Errorf("metadata of the picture: %v", got[0].Metadata)
	}
	if got[3].DisplayID == "" || got[3].DisplayID != got[4].DisplayID {
		t.Errorf("progress outputs %q and %q", got[3].DisplayID, got[4].DisplayID)
	}
}

// TestKernelCell is the cell of TestKernel.
func TestKernelCell(t *testing.T) {
	if os.Getenv(protocol.GONB_PIPE_ENV) == "" {
		t.Skip("runs only as the cell of TestKernel")
	}
	defer Done()
	Picture(sphere())
	Table([]string{"a"}, [][]string{{"1"}})
	Markdown("text")
	update := Progress(2, "work")
	update(1, "")
	update(2, "")
}
