package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/swlab/engine"
)

func newDoctor(c *common) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "what was found here, and the command that mends what is missing",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			root, err := os.Getwd()
			if err != nil {
				return err
			}
			checks := engine.Doctor(root)
			backend, ok := "", true
			type check struct {
				Name  string `json:"name"`
				OK    bool   `json:"ok"`
				Found string `json:"found"`
				Fix   string `json:"fix,omitempty"`
			}
			var list []check
			var rows [][2]string
			for _, k := range checks {
				list = append(list, check(k))
				ok = ok && k.OK
				mark := "ok"
				if !k.OK {
					mark = "MISSING"
				}
				text := fmt.Sprintf("%s: %s", mark, k.Found)
				if k.Fix != "" {
					text += "  ->  " + k.Fix
				}
				rows = append(rows, [2]string{k.Name, text})
			}
			if e, err := engine.Open(c.backend); err == nil {
				backend = e.Name
			} else {
				ok = false
			}
			rows = append(rows, [2]string{"backend", backend})
			return c.print(map[string]any{"backend": backend, "ok": ok, "checks": list}, rows...)
		},
	}
}
