// Command swlab computes sliced Wasserstein distances between point clouds, trains and evaluates
// the point-cloud autoencoder, and reports what this machine has. `swlab help` lists the commands.
//
// Exit codes: 0 done, 1 the work failed, 2 the call is wrong. With --format json exactly one JSON
// object goes to standard output; progress and warnings go to standard error.
package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/internal/memory"
	"github.com/sliced-wasserstein/lab/internal/xlaenv"
	"github.com/sliced-wasserstein/lab/swlab/engine"
)

func main() {
	xlaenv.HugePages()
	os.Exit(run(os.Args[1:]))
}

// run is main without the process.
func run(args []string) (code int) {
	defer func() {
		if r := recover(); r != nil { // a bug: still one line
			fmt.Fprintf(os.Stderr, "swlab: internal error: %s\n", firstLine(fmt.Sprint(r)))
			code = 1
		}
	}()
	root := newRoot()
	root.SetArgs(args)
	err := callKnown(root, args)
	if err == nil {
		err = root.Execute()
	}
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, "swlab:", withFlag(root, args, oneLine(err)))
	var wrong callError
	// memory errors of the library, wherever they occur
	if errors.As(err, &wrong) || errors.As(err, new(*memory.Error)) {
		return 2
	}
	return 1
}

// callKnown returns an error for an unknown command, before its flags are parsed: they would be
// unknown, too.
func callKnown(root *cobra.Command, args []string) error {
	cmd, rest, err := root.Find(args)
	if err != nil || !cmd.HasSubCommands() || len(rest) == 0 || strings.HasPrefix(rest[0], "-") || strings.HasPrefix(rest[0], cobra.ShellCompRequestCmd) {
		return nil
	}
	return unknownCall(cmd, rest[0])
}

// withFlag puts two dashes before the setting that a library error begins with, if the call has a
// flag of that name: "kappa: expected ..." becomes "--kappa: expected ...".
func withFlag(root *cobra.Command, args []string, message string) string {
	name, _, found := strings.Cut(message, ":")
	cmd, _, err := root.Find(args)
	if flag := strings.ReplaceAll(name, " ", "-"); found && err == nil && cmd.Flags().Lookup(flag) != nil {
		return "--" + flag + strings.TrimPrefix(message, name)
	}
	return message
}

// callError marks a call that cannot be carried out as it is: exit code 2.
type callError struct{ error }

func (e callError) Unwrap() error { return e.error }

// usageError marks err, if not nil.
func usageError(err error) error {
	if err == nil {
		return nil
	}
	return callError{err}
}

// oneLine formats an error in one line. Joined errors are separated by semicolons, and stack traces
// are left out.
func oneLine(err error) string {
	var lines []string
	for _, l := range strings.Split(err.Error(), "\n") {
		l = strings.TrimSpace(l)
		if strings.HasPrefix(l, "goroutine ") || strings.HasPrefix(l, "=>") {
			break
		}
		if l != "" {
			lines = append(lines, l)
		}
	}
	return strings.Join(lines, "; ")
}

func firstLine(s string) string { line, _, _ := strings.Cut(s, "\n"); return line }

// common are the flags that every call has.
type common struct {
	seed    uint64
	backend string
	format  string
	call    *cobra.Command // the command that runs

	warnings []string // given so far

	completing bool // the shell asks for completions: cobra then parses flags twice
}

func newRoot() *cobra.Command {
	c := &common{}
	root := &cobra.Command{
		Use:           "swlab",
		Short:         "Sliced Wasserstein distances on point clouds: study, teach, use",
		SilenceUsage:  true,
		SilenceErrors: true,
		PersistentPreRunE: func(cmd *cobra.Command, args []string) error {
			c.call, c.completing = cmd, strings.HasPrefix(cmd.Name(), cobra.ShellCompRequestCmd)
			return usageError(checkFiles(cmd, args))
		},
	}
	group(root)
	answer := root.RunE
	asked := root.Flags().Bool("version", false, "version of the module, commit, and the backend that would be used")
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if *asked && len(args) == 0 {
			return c.version()
		}
		return answer(cmd, args)
	}
	f := root.PersistentFlags()
	f.Uint64Var(&c.seed, "seed", 1, "seed of all random numbers")
	f.StringVar(&c.backend, "backend", "auto", "auto, xla:cuda, xla:cpu or go")
	f.StringVar(&c.format, "format", "text", "text, or json: one object on standard output")
	root.AddCommand(newDistance(c), newTrain(c), newEvaluate(c), newCompare(c), newData(c), newDoctor(c))
	root.AddCommand(newTable(c), newDirection(c), newEncode(c), newReconstruct(c), newVMF(c))
	root.AddCommand(newClassify(c), newGenerate(c))
	root.AddCommand(newMetrics(c))
	root.AddCommand(newSweep(c), newPlot(c))
	root.AddCommand(newVersion(c))
	helpers(root)
	mark(root)
	dress(root, &c.completing)
	return root
}

// mark makes flag and argument errors of a command, and of those below it, usage errors.
func mark(cmd *cobra.Command) {
	cmd.SetFlagErrorFunc(flagError)
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if check(cmd, args) == nil {
				return nil
			}
			return usageError(argumentError(cmd, args))
		}
	}
	for _, sub := range cmd.Commands() {
		mark(sub)
	}
}

// required marks flags as required: without one the call is wrong.
func required(cmd *cobra.Command, names ...string) *cobra.Command {
	work := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		for _, name := range names {
			f := cmd.Flags().Lookup(name)
			if !f.Changed {
				return usageError(fmt.Errorf("--%s is missing; `%s --help` says more", name, cmd.CommandPath()))
			}
			if f.Value.String() == "" {
				return usageError(fmt.Errorf("--%s: expected a value, found \"\"", name))
			}
		}
		return work(cmd, args)
	}
	return cmd
}

// chosenEngine opens the backend of --backend; nil if the flag leaves the choice to the work.
func (c *common) chosenEngine() (*engine.Engine, error) {
	if c.backend == "auto" {
		return nil, nil
	}
	return c.engine()
}

// engine opens the backend.
func (c *common) engine() (*engine.Engine, error) { return engine.Open(c.backend) }
