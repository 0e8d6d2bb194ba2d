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

	"github.com/sliced-wasserstein/lab/datasets/format"
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
	err := knownCommand(root, args)
	if err == nil {
		err = root.Execute()
	}
	if err == nil {
		return 0
	}
	message := withFlag(root, args, oneLine(err))
	if cmd, _, _ := root.Find(args); errors.As(err, new(*format.KeyError)) && cmd.Flags().Lookup("key") != nil {
		message += "; --key chooses one"
	}
	fmt.Fprintln(os.Stderr, "swlab:", message)
	// memory errors of the library, wherever they occur
	if errors.As(err, new(callError)) || errors.As(err, new(*memory.Error)) {
		return 2
	}
	return 1
}

// knownCommand returns an error for an unknown command, before its flags are parsed: they would be
// unknown, too.
func knownCommand(root *cobra.Command, args []string) error {
	cmd, rest, err := root.Find(args)
	if err != nil || !cmd.HasSubCommands() || len(rest) == 0 || strings.HasPrefix(rest[0], "-") ||
		strings.HasPrefix(rest[0], cobra.ShellCompRequestCmd) {
		return nil
	}
	return unknownCommand(cmd, rest[0])
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
	Seed    uint64 `flag:"seed" group:"Every command" help:"seed of all random numbers"`
	Backend string `flag:"backend" unit:"NAME" words:"auto xla:cuda xla:cpu go" group:"Every command" help:"what computes: auto, xla:cuda, xla:cpu or go"`
	Format  string `flag:"format" unit:"NAME" words:"text json" group:"Every command" help:"text, or json: one object on standard output"`

	call       *cobra.Command // the command that runs
	warnings   []string       // given so far
	completing bool           // the shell asks for completions: cobra then parses flags twice
}

func newRoot() *cobra.Command {
	c := &common{Seed: 1, Backend: "auto", Format: "text"}
	root := &cobra.Command{
		Use:           "swlab",
		Short:         "Sliced Wasserstein distances on point clouds: study, teach, use",
		SilenceUsage:  true,
		SilenceErrors: true,
		PersistentPreRun: func(cmd *cobra.Command, _ []string) {
			c.call, c.completing = cmd, strings.HasPrefix(cmd.Name(), cobra.ShellCompRequestCmd)
		},
	}
	group(root)
	answer := root.RunE
	asked := root.Flags().Bool("version", false, "print the version of the module, the commit, and the backend that would be used")
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if *asked && len(args) == 0 {
			return (&versionCall{c}).run()
		}
		return answer(cmd, args)
	}
	for _, o := range c.flags(root.PersistentFlags(), c) {
		c.complete(root, o)
	}
	for _, g := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Distances:", []*cobra.Command{newDistance(c), newPlan(c), newTest(c), newNormality(c), newDirection(c), newMetrics(c), newVMF(c)}},
		{"Sets of clouds:", []*cobra.Command{newEmbed(c), newPairwise(c), newNeighbours(c), newCluster(c), newBarycenter(c)}},
		{"Moving clouds:", []*cobra.Command{newRegister(c), newColor(c)}},
		{"Training and what follows:", []*cobra.Command{
			newTrain(c), newEvaluate(c), newCompare(c), newEncode(c), newReconstruct(c), newClassify(c), newGenerate(c)}},
		{"Studies:", []*cobra.Command{newSweep(c), newTable(c)}},
		{"Data and pictures:", []*cobra.Command{newData(c), newPlot(c)}},
		{"About this program:", []*cobra.Command{newDoctor(c), newVersion(c)}},
	} {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, cmd := range g.commands {
			cmd.GroupID = g.title
			root.AddCommand(cmd)
		}
	}
	helpers(root)
	root.SetFlagErrorFunc(flagError)
	return root
}

// chosenEngine opens the backend of --backend; nil if the flag leaves the choice to the work.
func (c *common) chosenEngine() (*engine.Engine, error) {
	if c.Backend == "auto" {
		return nil, nil
	}
	return c.engine()
}

// engine opens the backend.
func (c *common) engine() (*engine.Engine, error) { return engine.Open(c.Backend) }
