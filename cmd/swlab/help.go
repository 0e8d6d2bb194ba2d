package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// helpers adds the calls about calls: help and completion, with errors like those of the others.
func helpers(root *cobra.Command) {
	root.SetHelpCommand(&cobra.Command{
		Use:   "help [CALL]",
		Short: "what a call does, and its flags",
		Args:  cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			cmd := root
			for _, word := range args {
				sub, _, err := cmd.Find([]string{word})
				if err != nil || sub == cmd {
					return unknownCall(cmd, word)
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
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			cmd.Short = "a script that lets the shell complete calls, flags and their values"
			cmd.Long = "Writes a script for a shell: with it the tab key completes calls, flags and what flags take, such as losses, amortizers, tables and presets.\n" +
				"`swlab completion SHELL --help` says where to put it."
			group(cmd)
		}
	}
}
