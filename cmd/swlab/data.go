package main

import "github.com/spf13/cobra"

func newData(c *common) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "data",
		Short:   "List, describe, sample, fetch and verify data sets",
		Example: "  swlab data list",
	}
	cmd.AddCommand(newDataList(c), newDataInfo(c), newDataSample(c), newDataFetch(c), newDataVerify(c))
	return group(cmd)
}
