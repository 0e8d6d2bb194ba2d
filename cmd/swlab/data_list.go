package main

import (
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/datasets/fetch"
)

// cacheFlag adds --cache to a command. The result returns the folder.
func cacheFlag(cmd *cobra.Command) func() (string, error) {
	dir := cmd.Flags().String("cache", "", "folder of fetched data; default: SWLAB_CACHE, or swlab in the user's cache folder")
	return func() (string, error) {
		if *dir != "" {
			return *dir, nil
		}
		return datasets.CacheDir()
	}
}

func newDataList(c *common) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list [NAME]",
		Short: "the data sets that are known, or all about one of them",
		Args:  cobra.MaximumNArgs(1),
	}
	cache := cacheFlag(cmd)
	reads(cmd, "cache")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		dir, err := cache()
		if err != nil {
			return err
		}
		sources := datasets.Catalogue()
		if len(args) == 1 {
			source, err := datasets.FindSource(args[0])
			if err != nil {
				return usageError(err)
			}
			if c.format == "text" {
				return c.print(nil, describe(source, dir)...)
			}
			sources = []datasets.Source{source}
		}
		if c.format == "json" {
			var list []map[string]any
			for _, s := range sources {
				list = append(list, listed(s, dir))
			}
			return c.print(map[string]any{"cache": dir, "sets": list})
		}
		w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "NAME\tCLOUDS\tPOINTS\tCLASSES\tDOWNLOAD\tHERE\tWHAT")
		for _, s := range sources {
			fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t%s\t%s\n", s.Name, s.Clouds, orDash(s.Points), orDash(s.Classes), download(s), here(s, dir), s.What)
		}
		return w.Flush()
	}
	return cmd
}

// listed is an entry of the catalogue in JSON. Unknown values are null.
func listed(s datasets.Source, cache string) map[string]any {
	type file struct {
		Name   string   `json:"name"`
		URLs   []string `json:"urls"`
		Bytes  *int64   `json:"bytes"`
		SHA256 *string  `json:"sha256"`
		Source *string  `json:"sha256_source"`
	}
	files := []file{}
	for _, f := range s.Files {
		files = append(files, file{f.Name, append([]string{}, f.URLs...), known(f.Bytes), known(f.SHA256), known(f.Recorded)})
	}
	return map[string]any{
		"name": s.Name, "what": s.What, "kind": s.Kind, "clouds": s.Clouds, "points": known(s.Points), "classes": known(s.Classes),
		"home": s.Home, "licence": s.Licence, "terms": s.Terms, "terms_url": s.TermsURL, "files": files, "manual": s.Manual, "notes": s.Notes,
		"path": s.Path(cache), "fetched": here(s, cache) == "yes",
	}
}

// known returns nil for an unknown value.
func known[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}

func orDash(n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

// download says how much has to be downloaded.
func download(s datasets.Source) string {
	switch {
	case s.Files == nil:
		return "nothing"
	case s.Manual != "":
		return "by hand"
	case s.Files[0].Bytes == 0:
		return "size unknown"
	}
	return megabytes(s.Files[0].Bytes)
}

func megabytes(n int64) string {
	if n < 1_000_000 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%d MB", n/1_000_000)
}

// here says whether a set can be loaded.
func here(s datasets.Source, cache string) string {
	if s.Files == nil {
		return "yes"
	}
	if _, err := fetch.ReadRecord(s.Dir(cache)); err == nil {
		return "yes"
	}
	return "no"
}

// describe returns everything about a data set, as text.
func describe(s datasets.Source, cache string) [][2]string {
	rows := [][2]string{
		{"name", s.Name}, {"what", s.What}, {"clouds", fmt.Sprint(s.Clouds)}, {"points", orDash(s.Points)}, {"classes", orDash(s.Classes)},
		{"licence", s.Licence},
	}
	add := func(name, value string) {
		if value != "" {
			rows = append(rows, [2]string{name, value})
		}
	}
	add("terms", s.Terms)
	add("terms at", s.TermsURL)
	add("home", s.Home)
	for _, f := range s.Files {
		add("file", f.Name)
		add("from", strings.Join(f.URLs, " "))
		if f.Bytes > 0 {
			add("bytes", fmt.Sprint(f.Bytes))
		}
		if f.SHA256 == "" {
			add("sha256", "not published: the first fetch is trusted and recorded")
		} else {
			add("sha256", fmt.Sprintf("%s (%s)", f.SHA256, f.Recorded))
		}
	}
	add("by hand", s.Manual)
	add("notes", s.Notes)
	add("here", here(s, cache))
	add("--data", s.Name)
	add("path", s.Path(cache))
	return rows
}
