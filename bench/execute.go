package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/sliced-wasserstein/lab/bench/timing"
)

// run is a line of the store: one program of one case in one round.
type run struct {
	key
	At      string        `json:"at"`
	Result  timing.Result `json:"result"`
	Failure string        `json:"failure,omitempty"` // why there is no result
}

// key identifies a run.
type key struct {
	Group   string `json:"group"`
	Name    string `json:"name"`
	Program string `json:"program"`
	Round   int    `json:"round"`
}

// measure runs what is missing, round by round. The programs of a case run one after another, so
// that a change of load meets all of them. Each call retries once what failed. Results are kept as
// they come.
func measure(ctx context.Context, o options, cases []testCase) error {
	old, err := readRuns(o.store())
	if err != nil {
		return err
	}
	done := map[key]bool{}
	for _, r := range old {
		done[r.key] = done[r.key] || r.Failure == ""
	}
	store, err := os.OpenFile(o.store(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer store.Close()
	began, unable := time.Now(), map[string]bool{} // files that could not be prepared
	for round := 1; round <= o.rounds; round++ {
		for _, c := range cases {
			if !o.only.MatchString(c.Group + "/" + c.Name) {
				continue
			}
			for _, p := range c.Programs {
				k := key{c.Group, c.Name, p.Name, round}
				if done[k] {
					continue
				}
				if o.budget > 0 && time.Since(began) > o.budget {
					fmt.Fprintf(os.Stderr, "bench: stopped after %v; the same call resumes\n", o.budget)
					return nil
				}
				fmt.Fprintf(os.Stderr, "bench: %s round %d of %d, %s/%s, %s\n", time.Now().Format("15:04:05"), round, o.rounds, c.Group, c.Name, p.Name)
				r := run{key: k, At: time.Now().UTC().Format(time.RFC3339)}
				if err := prepare(ctx, o, c, unable); err != nil {
					r.Failure = err.Error()
				} else if r.Result, err = execute(ctx, o.limit, p); err != nil {
					r.Failure = err.Error()
				}
				if ctx.Err() != nil {
					return errors.New("interrupted; the same call resumes")
				}
				if r.Failure != "" {
					fmt.Fprintln(os.Stderr, "bench: FAILED:", r.Failure)
				}
				if err := json.NewEncoder(store).Encode(r); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// prepare makes the files that a case reads, unless they exist or have failed before.
func prepare(ctx context.Context, o options, c testCase, unable map[string]bool) error {
	for _, f := range c.Needs {
		if _, err := os.Stat(f.Path); err == nil {
			continue
		}
		if unable[f.Path] {
			return fmt.Errorf("%s could not be made", f.Path)
		}
		if _, err := output(ctx, o.limit, program{Command: f.Make}); err != nil {
			unable[f.Path] = true
			return fmt.Errorf("%s could not be made: %w", f.Path, err)
		}
	}
	return nil
}

// execute runs a program and parses the last line that it prints.
func execute(ctx context.Context, limit time.Duration, p program) (r timing.Result, err error) {
	out, err := output(ctx, limit, p)
	if err != nil {
		return r, err
	}
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	if err := json.Unmarshal(lines[len(lines)-1], &r); err != nil {
		return r, fmt.Errorf("its last line is no result: %w", err)
	}
	if len(r.Seconds) == 0 {
		return r, errors.New("its result has no seconds")
	}
	return r, nil
}

// output runs a program, with all that it starts, for at most limit. An error ends with the last
// line of its standard error.
func output(ctx context.Context, limit time.Duration, p program) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var stderr bytes.Buffer
	c := exec.CommandContext(ctx, p.Command[0], p.Command[1:]...)
	c.Stderr = &stderr
	endGroup(c)
	c.WaitDelay = 5 * time.Second
	for _, v := range os.Environ() { // each program decides on huge pages itself
		if !strings.HasPrefix(v, "GLIBC_TUNABLES=") && !strings.HasPrefix(v, "THP_MEM_ALLOC_ENABLE=") {
			c.Env = append(c.Env, v)
		}
	}
	c.Env = append(append(c.Env, p.Env...), fmt.Sprintf("BENCH_BEGAN=%.6f", float64(time.Now().UnixMicro())/1e6))
	out, err := c.Output()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil, fmt.Errorf("not done after %v", limit)
	}
	if err != nil {
		lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
		return nil, fmt.Errorf("%w: %s", err, lines[len(lines)-1])
	}
	return out, nil
}

// readRuns reads a store. One that does not exist is empty, and a truncated last line is ignored.
func readRuns(path string) (runs []run, err error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<24)
	var broken error
	for n := 1; s.Scan(); n++ {
		if broken != nil {
			return nil, broken
		}
		var r run
		if err := json.Unmarshal(s.Bytes(), &r); err != nil {
			broken = fmt.Errorf("%s line %d: %w", path, n, err)
			continue
		}
		runs = append(runs, r)
	}
	return runs, s.Err()
}
