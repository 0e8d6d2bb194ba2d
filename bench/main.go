// Command bench measures this project beside PyTorch, POT, SciPy and NumPy on the machine it runs
// on (see README.md here):
//
//	make bench                                   installs the others, pinned, and calls
//	go -C bench run . --rounds 3                    measures what is missing, then writes this processor's report, docs/results/bench*.*
//	go -C bench run . --budget 30m                  the same, but stops after that time; the next call resumes
//	go -C bench run . --only '^steps/.*v-DSW'       only the cases whose group/name match
//	go -C bench run . --report                      measures nothing; where nothing is stored, from docs/results/bench*.json
//	go -C bench run . --quick                       small sizes, for a trial; all files in .out/bench/quick
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// options are those of the command line.
type options struct {
	work    string        // folder of programs, clouds and raw results
	results string        // folder and first letters of the names of the reports
	rounds  int           // per case
	budget  time.Duration // no program is started after this time; 0: unlimited
	limit   time.Duration // per program
	only    *regexp.Regexp
	quick   bool
}

func main() {
	rounds := flag.Int("rounds", 3, "of every case; more than there are adds to them")
	budget := flag.Duration("budget", 0, "start nothing after this time; 0: no limit")
	limit := flag.Duration("timeout", 15*time.Minute, "of one program")
	only := flag.String("only", "", "regular expression on group/name; empty: all cases")
	quick := flag.Bool("quick", false, "tiny sizes, to try the benchmark out")
	list := flag.Bool("list", false, "print the cases and stop")
	report := flag.Bool("report", false, "write the report of what has been measured")
	fresh := flag.Bool("fresh", false, "forget what has been measured")
	flag.Parse()
	// Its files are named from the root of the repository, wherever go -C bench run starts it.
	if dir, err := os.Getwd(); err == nil && filepath.Base(dir) == "bench" {
		if err := os.Chdir(".."); err != nil {
			fail(err)
		}
	}
	o := options{work: filepath.Join(".out", "bench"), results: filepath.Join("docs", "results", "bench"), rounds: *rounds, budget: *budget, limit: *limit, quick: *quick}
	var err error
	if o.only, err = regexp.Compile(*only); err != nil {
		fail(fmt.Errorf("--only: %w", err))
	}
	if o.quick {
		o.work = filepath.Join(o.work, "quick")
		o.results = filepath.Join(o.work, "bench")
	}
	cases := plan(o.work, o.quick)
	if *list {
		for _, c := range cases {
			fmt.Printf("%s/%s: %d programs\n", c.Group, c.Name, len(c.Programs))
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if *fresh {
		if err := os.Remove(o.store()); err != nil && !errors.Is(err, os.ErrNotExist) {
			fail(err)
		}
	}
	if !*report {
		if err := build(ctx, o); err != nil {
			fail(err)
		}
		if err := measure(ctx, o, cases); err != nil {
			fail(err)
		}
	}
	written, err := o.report(cases)
	if err != nil {
		fail(err)
	}
	for _, base := range written {
		fmt.Println("report:", base+".md")
	}
}

// report writes the report of this processor and leaves those of others alone. What has not been measured now is
// taken from its earlier report. If nothing has been measured, all reports are written again.
func (o options) report(cases []testCase) (written []string, err error) {
	runs, err := readRuns(o.store())
	if err != nil {
		return nil, err
	}
	reports, err := filepath.Glob(o.results + "*.json")
	if err != nil {
		return nil, err
	}
	m := thisMachine()
	base, earlier := o.results, []caseSummary(nil) // the first report needs no longer name
	if len(reports) > 0 {
		base += "-" + m.slug()
	}
	for _, path := range reports {
		var stored summary
		raw, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(raw, &stored); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		name := strings.TrimSuffix(path, ".json")
		switch {
		case len(runs) == 0:
			written = append(written, name)
			if err := write(name, conclude(cases, stored.Machine, stored.Cases)); err != nil {
				return nil, err
			}
		case m.like(stored.Machine):
			base, earlier = name, stored.Cases
		}
	}
	switch {
	case len(runs) > 0:
		return []string{base}, write(base, summarise(cases, runs, m, earlier))
	case len(written) == 0:
		return nil, errors.New("nothing has been measured")
	}
	return written, nil
}

func (o options) store() string { return filepath.Join(o.work, "runs.jsonl") }

func fail(err error) {
	fmt.Fprintln(os.Stderr, "bench:", err)
	os.Exit(1)
}

// build compiles the programs of this project, and the one that go run starts, so that its first
// start is as warm as the others'.
func build(ctx context.Context, o options) error {
	bin, err := filepath.Abs(filepath.Join(o.work, "bin"))
	if err != nil {
		return err
	}
	args := []string{"-C", "bench", "build", "-o", bin + string(filepath.Separator)}
	for _, name := range []string{"step", "distances", "evaluation", "sampling", "amortizer"} {
		args = append(args, "./"+name)
	}
	for _, args := range [][]string{args, {"-C", "bench", "run", "./step", "-h"}} {
		if out, err := exec.CommandContext(ctx, "go", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("go %s: %w\n%s", args[0], err, out)
		}
	}
	return nil
}
