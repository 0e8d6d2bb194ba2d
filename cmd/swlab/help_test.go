package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"github.com/spf13/cobra"
)

var update = flag.Bool("update", false, "write the help texts in testdata/help anew")

// walk visits a command and all below it.
func walk(cmd *cobra.Command, visit func(*cobra.Command)) {
	visit(cmd)
	for _, sub := range cmd.Commands() {
		walk(sub, visit)
	}
}

// TestHelp: the help of every command is that in testdata/help, at most 110 lines of 100 characters
// (examples may be wider), and its examples can be parsed.
func TestHelp(t *testing.T) {
	found := map[string]bool{}
	walk(newRoot(), func(cmd *cobra.Command) {
		if parent := cmd.Parent(); parent != nil && parent.Name() == "completion" || strings.HasPrefix(cmd.Name(), "__") {
			return
		}
		words := strings.Fields(cmd.CommandPath())
		code, text, errs := command(t, append(words[1:], "--help")...)
		if code != 0 || errs != "" {
			t.Fatalf("%v: exit code %d, %s", words, code, errs)
		}
		file := filepath.Join("testdata", "help", strings.Join(words, "-")+".txt")
		found[filepath.Base(file)] = true
		if *update {
			must.M(os.WriteFile(file, []byte(text), 0o644))
		}
		if want, err := os.ReadFile(file); err != nil || string(want) != text {
			t.Errorf("%s: not the help, %v; `go test ./cmd/swlab -run TestHelp -update` writes it anew", file, err)
		}
		lines := strings.Split(text, "\n")
		if len(lines) > 110 {
			t.Errorf("%s: %d lines", file, len(lines))
		}
		for _, line := range lines {
			if len([]rune(line)) > 120 {
				t.Errorf("%s: a line of %d characters: %s", file, len(line), line)
			}
		}
		if cmd.Example == "" && len(words) > 1 && cmd.Name() != "help" {
			t.Errorf("%s: no example", file)
		}
		for _, line := range strings.Split(cmd.Example, "\n") {
			if words := strings.Fields(line); slices.Index(words, "swlab") == 0 {
				sub, rest, err := newRoot().Find(words[1:])
				if err == nil {
					err = sub.ParseFlags(rest)
				}
				if err == nil && sub.Args != nil {
					err = sub.Args(sub, sub.Flags().Args())
				}
				if err != nil {
					t.Errorf("%s: %v", line, err)
				}
			}
		}
	})
	files, err := filepath.Glob(filepath.Join("testdata", "help", "*"))
	for _, file := range files {
		if !found[filepath.Base(file)] {
			t.Errorf("%s: of no command", file)
		}
	}
	if err != nil || len(files) < 25 {
		t.Errorf("%d files, %v", len(files), err)
	}
}

// TestCompletion: the shell is offered what flags and arguments take.
func TestCompletion(t *testing.T) {
	for call, want := range map[string]string{
		"distance --loss v":               "v-dsw",
		"distance --slicing ma":           "markov",
		"distance --reduce ":              "mean sum",
		"table run ablation_k":            "ablation_kappa",
		"table run ablation_L --preset ":  "desk paper quick smoke",
		"table run ablation_L --format l": "latex",
		"doctor --backend xla":            "xla:cpu xla:cuda",
		"metrics --distances cd,emd":      "cd,emd-approx cd,emd-exact",
		"sweep --vary kap":                "kappa=",
		"evaluate --split t":              "test train",
		"data fetch psb":                  "psb",
		"distance --format ":              "json text",
	} {
		words := strings.Fields(call)
		if strings.HasSuffix(call, " ") {
			words = append(words, "")
		}
		root := newRoot()
		var out bytes.Buffer
		root.SetOut(&out)
		root.SetErr(&bytes.Buffer{})
		root.SetArgs(append([]string{cobra.ShellCompNoDescRequestCmd}, words...))
		must.M(root.Execute())
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		got := lines[:len(lines)-1] // the last is for the shell
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%q: offered %v, expected %v", call, got, want)
		}
	}
}
