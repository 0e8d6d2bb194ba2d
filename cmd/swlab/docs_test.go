package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestDocumented compares docs/cli.md with the commands: each has a section that names all its
// flags, and the page names no flag that does not exist.
func TestDocumented(t *testing.T) {
	raw := content(t, "../../docs/cli.md")
	parts := regexp.MustCompile(`(?m)^## `).Split(string(raw), -1)
	sections := map[string]string{} // by command, without "swlab "
	for _, part := range parts[1:] {
		heading, text, _ := strings.Cut(part, "\n")
		name, ok := strings.CutPrefix(heading, "swlab ")
		if !ok {
			continue
		}
		names := strings.Split(strings.ReplaceAll(name, "`", ""), ", ")
		group, _, found := strings.Cut(names[0], " ") // "data fetch, verify"
		for i, n := range names {
			if i > 0 && found {
				n = group + " " + n
			}
			sections[n] = text
		}
	}
	known := map[string]bool{"help": true, "version": true}
	option := regexp.MustCompile(`--([a-z][a-z0-9-]*)`)
	flagsOf := func(text string) map[string]bool {
		out := map[string]bool{}
		for _, m := range option.FindAllStringSubmatch(text, -1) {
			out[m[1]] = true
		}
		return out
	}
	common := flagsOf(parts[0])
	walk(newRoot(), func(cmd *cobra.Command) {
		name := strings.TrimPrefix(cmd.CommandPath(), "swlab ")
		if group, _, _ := strings.Cut(name, " "); !cmd.HasParent() || group == "help" || group == "completion" {
			return
		}
		section := ""
		for n := name; n != "" && section == ""; { // a subcommand may be in its parent's section
			section = sections[n]
			n = n[:max(strings.LastIndex(n, " "), 0)]
		}
		if section == "" && !cmd.Hidden && !cmd.HasSubCommands() {
			t.Errorf("docs/cli.md has no section for swlab %s", name)
		}
		documented := flagsOf(section)
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			known[f.Name] = true
			if !cmd.Hidden && !f.Hidden && f.Name != "help" && !documented[f.Name] && !common[f.Name] {
				t.Errorf("docs/cli.md: the section of swlab %s lacks --%s", name, f.Name)
			}
		})
		cmd.InheritedFlags().VisitAll(func(f *pflag.Flag) { known[f.Name] = true })
	})
	for name := range flagsOf(string(raw)) {
		if !known[name] {
			t.Errorf("docs/cli.md names --%s, a flag that no command has", name)
		}
	}
}
