package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/datasets/catalogue"
)

type dataList struct {
	*common
	Name string `arg:"NAME" words:"data set" help:"one data set, about which all is printed"`
	cache
}

func newDataList(c *common) *cobra.Command {
	return c.command("list [NAME]", "List the data sets that are known, or print all about one", "swlab data list modelnet40-hdf5", &dataList{common: c})
}

// dataSets are the names of the catalogue.
func dataSets() []string {
	var out []string
	for _, s := range catalogue.All() {
		out = append(out, s.Name)
	}
	return out
}

// listed is an entry of the catalogue. Unknown values are null.
type listed struct {
	catalogue.Source
	Points  *int         `json:"points"`
	Classes *int         `json:"classes"`
	Files   []listedFile `json:"files"`
	Path    string       `json:"path"`
	Fetched bool         `json:"fetched"`
}

type listedFile struct {
	catalogue.File
	URLs     []string `json:"urls"`
	Bytes    *int64   `json:"bytes"`
	SHA256   *string  `json:"sha256"`
	Recorded *string  `json:"sha256_source"`
}

func newListed(s catalogue.Source, cache string) listed {
	files := []listedFile{}
	for _, f := range s.Files {
		files = append(files, listedFile{f, append([]string{}, f.URLs...), known(f.Bytes), known(f.SHA256), known(f.Recorded)})
	}
	return listed{s, known(s.Points), known(s.Classes), files, s.Path(cache), here(s, cache) == "yes"}
}

type listAnswer struct {
	Cache   string   `json:"cache"`
	Sets    []listed `json:"sets"`
	sources []catalogue.Source
	one     bool
}

func (a listAnswer) String() string {
	if a.one {
		return lines(describe(a.sources[0], a.Cache)...)
	}
	rows := [][2]string{{"NAME", "CLOUDS\tPOINTS\tCLASSES\tDOWNLOAD\tHERE\tWHAT"}}
	for _, s := range a.sources {
		rows = append(rows, [2]string{s.Name, fmt.Sprintf("%d\t%s\t%s\t%s\t%s\t%s", s.Clouds, orDash(s.Points), orDash(s.Classes), download(s), here(s, a.Cache), s.What)})
	}
	return lines(rows...)
}

func (l *dataList) run() error {
	dir, err := l.dir()
	if err != nil {
		return err
	}
	answer := listAnswer{Cache: dir, sources: catalogue.All(), one: l.Name != ""}
	if answer.one {
		source, err := catalogue.Find(l.Name)
		if err != nil {
			return usageError(err)
		}
		answer.sources = []catalogue.Source{source}
	}
	for _, s := range answer.sources {
		answer.Sets = append(answer.Sets, newListed(s, dir))
	}
	return l.print(answer)
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
func download(s catalogue.Source) string {
	switch {
	case s.Files == nil:
		return "nothing"
	case s.Manual != "":
		return "by hand"
	case s.Files[0].Bytes == 0:
		return "size unknown"
	}
	return fmt.Sprintf("%d MB", s.Files[0].Bytes/1_000_000)
}

// here says whether a set can be loaded.
func here(s catalogue.Source, cache string) string {
	if s.Files == nil {
		return "yes"
	}
	if _, err := catalogue.ReadRecord(s.Dir(cache)); err == nil {
		return "yes"
	}
	return "no"
}

// describe returns everything about a data set, as text.
func describe(s catalogue.Source, cache string) [][2]string {
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
