package client

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"time"
)

// Socket is where the process listens; "" without one.
var Socket = At(os.Getenv("SWLAB_LAB"))

// At is the socket of the process that the notebook of a process shares (Share), or its own.
func At(own string) string {
	if to, err := os.ReadFile(own + ".shared"); own != "" && err == nil {
		return string(to)
	}
	return own
}

// Share makes this notebook use the process of that name.
func Share(name string) error {
	own := os.Getenv("SWLAB_LAB")
	if own == "" {
		return errors.New("share: there is no process of the lab, only notebooks have one")
	}
	to, err := shared(name)
	if err == nil {
		err = os.WriteFile(own+".shared", []byte(to), 0o600)
	}
	if err == nil {
		Socket = to
	}
	return err
}

// patience is how long the process may take to begin: the first time it is compiled.
const patience = 10 * time.Minute

// start starts the process and waits until it answers. A process that ends meanwhile is started again: it was killed, or
// it found the socket in the hands of another one, which may be ending itself.
func start(ctx context.Context) error {
	began, said := time.Now(), false
	var exited chan error
	for {
		if exited == nil {
			var err error
			if exited, err = launch(); err != nil {
				return err
			}
		}
		if c, err := net.Dial("unix", Socket); err == nil {
			return c.Close()
		}
		select {
		case err := <-exited:
			if killed := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &killed) || killed.Exited()) {
				return fmt.Errorf("the process of the lab does not start: %w; see %s.log", err, Socket)
			}
			exited = nil
		case <-ctx.Done():
			return errors.New("interrupted")
		case <-time.After(5 * time.Millisecond):
		}
		if !said && time.Since(began) > 3*time.Second {
			said = true
			fmt.Fprintln(os.Stderr, "The process of the lab is being built; this takes long the first time only.")
		}
		if time.Since(began) > patience {
			return fmt.Errorf("the process of the lab did not answer within %v; see %s.log", patience, Socket)
		}
	}
}

// launch starts the process once; the channel says how it ended.
func launch() (exited chan error, err error) {
	command := os.Getenv("SWLAB_LAB_START")
	if command == "" {
		return nil, fmt.Errorf("the process of the lab does not answer at %s, "+
			"and SWLAB_LAB_START does not say how to start it", Socket)
	}
	log, err := os.OpenFile(Socket+".log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd := exec.Command("/bin/sh", command, Socket)
	cmd.Stdout, cmd.Stderr = log, log
	detach(cmd)
	if Socket != os.Getenv("SWLAB_LAB") { // shared: it does not end with this kernel
		cmd.Env = append(os.Environ(), "SWLAB_KERNEL=")
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	exited = make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	return exited, nil
}
