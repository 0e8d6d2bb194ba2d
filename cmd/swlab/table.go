package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/experiments/reproduce"
	"github.com/sliced-wasserstein/lab/experiments/table"
)

func newTable(c *common) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "table",
		Short: "the paper's tables: list and reproduce them",
	}
	cmd.AddCommand(newTableList(c), newTableRun(c))
	return group(cmd)
}

func newTableList(c *common) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "the tables, and the sizes they can be made in",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			type entry struct {
				Name    string   `json:"name"`
				Title   string   `json:"title"`
				Section string   `json:"section"`
				Rows    []string `json:"rows"`
				Ours    []string `json:"ours"`
			}
			type preset struct {
				Name string `json:"name"`
				What string `json:"what"`
			}
			var out struct {
				Tables  []entry  `json:"tables"`
				Presets []preset `json:"presets"`
			}
			rows := [][2]string{}
			smoke, err := reproduce.PresetOf("smoke")
			if err != nil {
				return err
			}
			for _, name := range table.Names() {
				t, err := table.Get(name)
				if err != nil {
					return err
				}
				e := entry{Name: t.Name, Title: t.Title, Section: t.Section}
				for _, r := range smoke.With(t).Rows {
					if r.Ours {
						e.Ours = append(e.Ours, r.ID)
					} else {
						e.Rows = append(e.Rows, r.ID)
					}
				}
				out.Tables = append(out.Tables, e)
				rows = append(rows, [2]string{e.Name, e.Title}, [2]string{"", fmt.Sprintf("%d rows: %s", len(e.Rows), strings.Join(e.Rows, ", "))})
				if e.Ours != nil {
					rows = append(rows, [2]string{"", "ours: " + strings.Join(e.Ours, ", ")})
				}
			}
			for _, p := range reproduce.Presets() {
				out.Presets = append(out.Presets, preset{p.Name, p.What()})
				rows = append(rows, [2]string{"--preset " + p.Name, p.What()})
			}
			return c.print(out, rows...)
		},
	}
}
