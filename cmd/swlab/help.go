package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// groups are the headings of flags, in order.
var groups = []string{"", "Loss", "Directions", "Ascent and amortizer", "Training", "Output", "Every command"}

// help prints what a command does, its examples, the commands below it and its flags, by groups.
func help(cmd *cobra.Command, _ []string) {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nUsage:\n  %s\n", wrapped(cmp.Or(cmd.Long, cmd.Short)+"."), cmd.UseLine())
	if cmd.Example != "" {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", cmd.Example)
	}
	width := 0
	for _, sub := range cmd.Commands() {
		width = max(width, len(sub.Name()))
	}
	for _, g := range append(cmd.Groups(), &cobra.Group{Title: "Commands:"}) {
		text := ""
		for _, sub := range cmd.Commands() {
			if sub.GroupID == g.ID && (sub.IsAvailableCommand() || sub.Name() == "help") {
				text += fmt.Sprintf("  %-*s  %s\n", width, sub.Name(), sub.Short)
			}
		}
		if text != "" {
			fmt.Fprintf(&b, "\n%s\n%s", g.Title, text)
		}
	}
	sets := map[string]*pflag.FlagSet{}
	cmd.Flags().SortFlags = false
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		name := ""
		if g := f.Annotations["group"]; g != nil {
			name = g[0]
		}
		if !slices.Contains(groups, name) {
			name = ""
		}
		if sets[name] == nil {
			sets[name] = pflag.NewFlagSet(name, pflag.ContinueOnError)
			sets[name].SortFlags = false
		}
		sets[name].AddFlag(f)
	})
	for _, name := range groups {
		if sets[name] != nil && sets[name].HasAvailableFlags() {
			fmt.Fprintf(&b, "\n%s:\n%s", cmp.Or(name, "Flags"), sets[name].FlagUsagesWrapped(100))
		}
	}
	fmt.Fprint(cmd.OutOrStdout(), b.String())
}

// wrapped breaks paragraphs into lines of at most 100 characters.
func wrapped(text string) string {
	var paragraphs []string
	for _, p := range strings.Split(strings.TrimSuffix(strings.ReplaceAll(text, "..", "."), "\n"), "\n\n") {
		out, line := "", ""
		for _, w := range strings.Fields(p) {
			if len(line)+len(w) >= 100 {
				out, line = out+line+"\n", ""
			}
			line = strings.TrimSpace(line + " " + w)
		}
		paragraphs = append(paragraphs, out+line)
	}
	return strings.Join(paragraphs, "\n\n")
}

// helpers adds help and completion, with errors like those of the other commands.
func helpers(root *cobra.Command) {
	root.SetHelpFunc(help)
	root.SetHelpCommand(&cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Print what a command does, and its flags",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd := root
			for _, word := range args {
				sub, _, err := cmd.Find([]string{word})
				if err != nil || sub == cmd {
					return unknownCommand(cmd, word)
				}
				cmd = sub
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			cmd, _, err := root.Find(args)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var out []string
			for _, sub := range cmd.Commands() {
				if sub.IsAvailableCommand() && strings.HasPrefix(sub.Name(), begun) {
					out = append(out, cobra.CompletionWithDesc(sub.Name(), sub.Short))
				}
			}
			return out, cobra.ShellCompDirectiveNoFileComp
		},
	})
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	about := root.Groups()[len(root.Groups())-1].ID
	root.SetHelpCommandGroupID(about)
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			cmd.Short = "Write a script with which the tab key completes commands, flags and their values"
			cmd.Long = cmd.Short + ".\n`swlab completion SHELL --help` says where to put it."
			cmd.Example = "  source <(swlab completion bash)"
			cmd.GroupID = about
			group(cmd)
		}
	}
	root.Long = root.Short + ".\n\n`swlab help COMMAND` prints what a command does, and its flags."
}
