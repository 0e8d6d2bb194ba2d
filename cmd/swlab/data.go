package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newData(c *common) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "data",
		Short: "data sets and what is in them",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return wrongCall(fmt.Errorf("unknown call %q; `swlab data` lists them", "data "+args[0]))
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(newDataList(c), newDataInfo(c), newDataSample(c), newDataFetch(c), newDataVerify(c))
	return cmd
}
