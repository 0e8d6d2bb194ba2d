package main

import (
	"fmt"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/experiments/fanout"
)

// newWork is what a task of a job array calls; people have no need of it.
func newWork() *cobra.Command {
	var plan string
	var index int
	cmd := &cobra.Command{
		Use:    "work --plan DIR [--index I]",
		Short:  "run one job of a plan; the index is that of the Slurm task by default",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("index") {
				const name = "SLURM_ARRAY_TASK_ID"
				var err error
				if index, err = strconv.Atoi(os.Getenv(name)); err != nil {
					return wrongCall(fmt.Errorf("--index is missing, and %s gives none: expected a number, found %q", name, os.Getenv(name)))
				}
			}
			ctx, stop := interruptible()
			defer stop()
			return fanout.Work(ctx, plan, index)
		},
	}
	cmd.Flags().StringVar(&plan, "plan", "", "folder of the plan")
	cmd.Flags().IntVar(&index, "index", 0, "which job, 0 is the first")
	writes(cmd, "plan", workFolder)
	return required(cmd, "plan")
}
