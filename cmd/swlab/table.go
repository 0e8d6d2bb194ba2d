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
		Use:     "table",
		Short:   "List and reproduce the paper's tables",
		Example: "  swlab table list",
	}
	cmd.AddCommand(
		c.command("list", "List the tables, and the sizes they can be made in", "swlab table list --format json", &tableList{c}), newTableRun(c))
	return group(cmd)
}

type tableList struct{ *common }

type tableListAnswer struct {
	Tables  []tableListed  `json:"tables"`
	Presets []presetListed `json:"presets"`
}

type tableListed struct {
	Name    string   `json:"name"`
	Title   string   `json:"title"`
	Section string   `json:"section"`
	Rows    []string `json:"rows"`
	Ours    []string `json:"ours"`
}

type presetListed struct {
	Name string `json:"name"`
	What string `json:"what"`
}

func (a tableListAnswer) String() string {
	var rows [][2]string
	for _, t := range a.Tables {
		rows = append(rows, [2]string{t.Name, t.Title}, [2]string{"", fmt.Sprintf("%d rows: %s", len(t.Rows), strings.Join(t.Rows, ", "))})
		if t.Ours != nil {
			rows = append(rows, [2]string{"", "ours: " + strings.Join(t.Ours, ", ")})
		}
	}
	for _, p := range a.Presets {
		rows = append(rows, [2]string{"--preset " + p.Name, p.What})
	}
	return lines(rows...)
}

func (l *tableList) run() error {
	var answer tableListAnswer
	smoke, err := reproduce.PresetOf("smoke")
	if err != nil {
		return err
	}
	for _, name := range table.Names() {
		t, err := table.Get(name)
		if err != nil {
			return err
		}
		listed := tableListed{Name: t.Name, Title: t.Title, Section: t.Section}
		for _, r := range smoke.With(t).Rows {
			if r.Ours {
				listed.Ours = append(listed.Ours, r.ID)
			} else {
				listed.Rows = append(listed.Rows, r.ID)
			}
		}
		answer.Tables = append(answer.Tables, listed)
	}
	for _, p := range reproduce.Presets() {
		answer.Presets = append(answer.Presets, presetListed{p.Name, p.What})
	}
	return l.print(answer)
}
