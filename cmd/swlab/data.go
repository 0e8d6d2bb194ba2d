package main

import "github.com/spf13/cobra"

func newData(c *common) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "data",
		Short: "data sets and what is in them",
	}
	cmd.AddCommand(newDataList(c), newDataInfo(c), newDataSample(c), newDataFetch(c), newDataVerify(c))
	return group(cmd)
}
