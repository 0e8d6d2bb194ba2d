package main

import (
	"strings"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments/table"
	"github.com/spf13/cobra"
)

// examples are those of all commands, by what follows swlab.
var examples = map[string]string{
	"distance": `  swlab distance --loss sw --x a.npy --y b.npy --slices 1000 --reduce mean --root
  swlab distance --loss v-dsw --amortizer la --weights runs/first/amortizer.safetensors --x a.npy --y b.npy
  swlab distance --loss emd-exact --x a.npy --y b.npy --reduce mean`,
	"direction":  `  swlab direction --amortizer la --x a.npy --y b.npy --weights runs/first/amortizer.safetensors --out d.npy`,
	"vmf":        `  swlab vmf stats --kappa 10 --dim 3`,
	"vmf sample": `  swlab vmf sample --kappa 10 --location 0,0,1 --n 1000 --out s.npy`,
	"vmf stats":  `  swlab vmf stats --kappa 10 --dim 3`,
	"train":      `  swlab train --loss v-dsw --amortizer la --points 512 --batch 32 --epochs 3 --out runs/first`,
	"evaluate":   `  swlab evaluate --run runs/first`,
	"compare":    `  swlab compare --run runs/la --run runs/sw`,
	"classify": `  swlab classify --run runs/first
  swlab classify --run runs/first --classifier svm`,
	"generate":    `  swlab generate --run runs/chairs --out chairs.npy`,
	"metrics":     `  swlab metrics --reference test.npy --generated new.npy --store runs/metrics`,
	"encode":      `  swlab encode --run runs/first --x clouds.npy --out z.npy`,
	"reconstruct": `  swlab reconstruct --weights model.pth --x clouds.npy --out y.npy`,
	"table":       `  swlab table list`,
	"table list":  `  swlab table list --format json`,
	"table run": `  swlab table run ablation_kappa --preset smoke
  swlab table run ablation_L --preset quick --rows sw,la-v-dsw --set epochs=10 --jobs 2
  swlab table run all --preset paper --dry-run`,
	"sweep": `  swlab sweep --vary kappa=0.1,1,10 --vary slices=10,100 --plot kappa.png
  swlab sweep --vary amortizer=none,l,la --epochs 10 --seeds 1,2,3 --format json`,
	"plot": `  swlab plot clouds --x clouds.npy --out clouds.png`,
	"plot clouds": `  swlab plot clouds --x clouds.npy --out clouds.png
  swlab plot clouds --x clouds.npy --x y.npy --caption input --caption LA --errors --out reconstructions.pdf`,
	"plot slice": `  swlab plot slice --x a.npy --y b.npy --direction 1,1,0 --out slice.svg`,
	"plot sphere": `  swlab plot sphere --kappa 1 --kappa 10 --kappa 100 --out vmf.png
  swlab plot sphere --kappa 10 --out vmf.html`,
	"plot curves": `  swlab plot curves --run runs/la --run runs/sw --smooth 0.9 --out loss.png`,
	"data":        `  swlab data list`,
	"data list":   `  swlab data list modelnet40-hdf5`,
	"data info":   `  swlab data info clouds.npz`,
	"data sample": `  swlab data sample meshes/ --points 2048 --out clouds`,
	"data fetch":  `  swlab data fetch modelnet40-hdf5 --accept-licence`,
	"data verify": `  swlab data verify`,
	"doctor":      `  swlab doctor`,
	"version":     `  swlab version --format json`,
	"completion":  `  source <(swlab completion bash)`,
	"help":        `  swlab help table run`,
}

// exemplify gives a command and those below it their examples.
func exemplify(cmd *cobra.Command) {
	if e, ok := examples[callOf(cmd)]; ok {
		cmd.Example = e
	}
	for _, sub := range cmd.Commands() {
		exemplify(sub)
	}
}

// callOf returns what follows swlab in a command.
func callOf(cmd *cobra.Command) string {
	return strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()), " ")
}

// helpers adds help and completion, with errors like those of the other commands.
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
	root.Long = "Sliced Wasserstein distances on point clouds: study, teach, use.\n\n" +
		"`swlab completion SHELL` writes a script with which the tab key completes calls, flags and their values."
	exemplify(root)
	names(root)
}

// names completes the arguments that are names.
func names(root *cobra.Command) {
	sources := func() []string {
		var out []string
		for _, s := range datasets.Catalogue() {
			out = append(out, s.Name)
		}
		return out
	}
	for call, known := range map[string]struct {
		words func() []string
		files bool // a path is valid, too
	}{
		"table run":   {func() []string { return append(table.Names(), allTables) }, false},
		"data list":   {sources, false},
		"data fetch":  {sources, false},
		"data verify": {sources, true},
		"data info":   {sources, true},
		"data sample": {sources, true},
	} {
		cmd, _, err := root.Find(strings.Fields(call))
		if err != nil {
			panic(err) // no such command
		}
		directive := cobra.ShellCompDirectiveNoFileComp
		if known.files {
			directive = cobra.ShellCompDirectiveDefault
		}
		cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, begun string) (out []string, _ cobra.ShellCompDirective) {
			for _, w := range known.words() {
				if len(args) == 0 && strings.HasPrefix(w, begun) {
					out = append(out, w)
				}
			}
			return out, directive
		}
	}
}
