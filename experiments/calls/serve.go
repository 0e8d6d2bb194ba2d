//go:build unix

package calls

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Process is a process that answers calls over a socket. It ends with what Alive watches, when nobody
// has called for Idle, and as soon as its own source has changed.
type Process struct {
	Socket string        // its folder, which is the user's alone, also holds the files of large arrays
	Alive  func() bool   // nil: always
	Idle   time.Duration // 0: never
	Root   string        // folder of the module; "": the source is not watched

	restart func() // ends it; from then on nobody reaches it
}

// errStale ends a process whose source has changed.
var errStale = errors.New("the source of the module has changed since this process was built")

// Serve answers until the process ends. It returns nil if another process has the socket.
func (p Process) Serve(ctx context.Context) error {
	dir := filepath.Dir(p.Socket)
	lock, err := os.OpenFile(p.Socket+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil
	}
	built, _, err := fingerprint(p.Root)
	if err != nil {
		return err
	}
	_ = os.Remove(p.Socket) // of a process that was killed
	old := syscall.Umask(0o177)
	l, err := net.Listen("unix", p.Socket)
	syscall.Umask(old)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	p.restart = func() { l.Close(); cancel(nil) }
	context.AfterFunc(ctx, func() { l.Close() })
	space := NewSpace(dir, 0)
	var busy atomic.Int64
	var last atomic.Int64
	last.Store(time.Now().UnixNano())
	go func() {
		for range time.Tick(time.Second) {
			quiet := busy.Load() == 0 && time.Since(time.Unix(0, last.Load())) > p.Idle
			if p.Alive != nil && !p.Alive() || p.Idle > 0 && quiet {
				cancel(nil)
			}
		}
	}()
	var calls sync.WaitGroup
	for {
		c, err := l.Accept()
		if err != nil {
			break
		}
		busy.Add(1)
		calls.Go(func() {
			defer func() { last.Store(time.Now().UnixNano()); busy.Add(-1) }()
			defer c.Close()
			if now, _, err := fingerprint(p.Root); err != nil || now != built {
				l.Close() // first, or the caller would come back to this process
				_ = json.NewEncoder(c).Encode(Event{Answer: &Answer{Error: errStale.Error(), Kind: "stale"}})
				cancel(errStale)
				return
			}
			p.answer(ctx, space, c)
		})
	}
	calls.Wait()
	if cause := context.Cause(ctx); errors.Is(cause, errStale) {
		return cause
	}
	return nil
}

// grace is how long the caller waits for a call that it has cancelled. The call itself goes on until it has saved
// what it has.
const grace = time.Second

// answer answers the call of a connection. The call is cancelled when the caller sends no more.
func (p Process) answer(ctx context.Context, space *Space, c net.Conn) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	in := bufio.NewReader(c)
	line, err := in.ReadBytes('\n')
	if err != nil {
		return
	}
	go func() {
		_, _ = io.Copy(io.Discard, in)
		cancel()
	}()
	var mu sync.Mutex
	out := json.NewEncoder(c)
	send := func(e Event) {
		mu.Lock()
		defer mu.Unlock()
		_ = out.Encode(e) // a caller that is gone misses nothing
	}
	var r Request
	if err := json.Unmarshal(line, &r); err != nil {
		var a Answer
		a.Fail(err)
		send(Event{Answer: &a})
		return
	}
	if r.Function == "restart" {
		p.restart()
		send(Event{Answer: &Answer{}})
		return
	}
	done := make(chan Answer, 1)
	go func() { done <- space.Respond(ctx, r, send) }()
	select {
	case a := <-done:
		send(Event{Answer: &a})
		return
	case <-ctx.Done():
	}
	select {
	case a := <-done:
		send(Event{Answer: &a})
	case <-time.After(grace):
		send(Event{Answer: &Answer{Error: "interrupted; what was done is kept, and running the cell again goes on", Kind: "interrupted"}})
	}
}

// NoteSource writes to a file what identifies the source of the module, unless it is newer than the file began.
func NoteSource(root, file, began string) error {
	source, newest, err := fingerprint(root)
	if err != nil {
		return err
	}
	info, err := os.Stat(began)
	if err != nil {
		return err
	}
	if newest.After(info.ModTime()) {
		return errStale
	}
	return os.WriteFile(file, []byte(source), 0o600)
}

// IsSource reports whether the source of the module is as it was noted.
func IsSource(root, file string) bool {
	noted, err := os.ReadFile(file)
	now, _, e := fingerprint(root)
	return err == nil && e == nil && string(noted) == now
}

// fingerprint identifies the files of the module's packages by their names, sizes and times; newest is the
// last time.
func fingerprint(root string) (id string, newest time.Time, err error) {
	if root == "" {
		return "", newest, nil
	}
	sum := sha256.New()
	fmt.Fprintln(sum, runtime.Version())
	packages := []string{"datasets", "experiments", "internal", "swlab", "vmfviz"}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, top := d.Name(), filepath.Dir(path) == root
		if d.IsDir() {
			if top && !slices.Contains(packages, name) || name == "testdata" {
				return filepath.SkipDir
			}
			return nil
		}
		ending := filepath.Ext(name)
		if top && !slices.Contains([]string{".go", ".mod", ".sum"}, ending) || ending == ".md" || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.ModTime().After(newest) {
			newest = info.ModTime()
		}
		fmt.Fprintln(sum, path, info.Size(), info.ModTime().UnixNano())
		return nil
	})
	return fmt.Sprintf("%x", sum.Sum(nil)), newest, err
}
