package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/datasets/catalogue"
)

// sourceOf finds a data set of the catalogue.
var sourceOf = catalogue.Find

// cache is the folder of what was fetched.
type cache struct {
	Cache string `flag:"cache" unit:"DIR" writes:"work folder" help:"folder of fetched data (default: SWLAB_CACHE, or swlab in the user's cache folder)"`
}

func (c cache) dir() (string, error) {
	if c.Cache != "" {
		return c.Cache, nil
	}
	return catalogue.CacheDir()
}

type dataFetch struct {
	*common
	Name string `arg:"NAME" need:"x" words:"data set" help:"data set of swlab data list"`
	cache
	AcceptLicence bool   `flag:"accept-licence" help:"you have read and accept the data set's terms"`
	From          string `flag:"from" unit:"FILE|DIR" help:"the file, or a folder with the files, downloaded by other means"`
}

func newDataFetch(c *common) *cobra.Command {
	return c.command("fetch NAME", "Download a data set, or take a file that was downloaded elsewhere; check it and unpack it",
		"swlab data fetch modelnet40-hdf5 --accept-licence", &dataFetch{common: c})
}

// Unknown values are null.
type fetchAnswer struct {
	Name      string  `json:"name"`
	Path      string  `json:"path"`
	Kind      string  `json:"kind"`
	Clouds    int     `json:"clouds"`
	Points    *int    `json:"points"`
	Classes   *int    `json:"classes"`
	Fetched   bool    `json:"fetched"`
	Checksum  string  `json:"checksum"`
	SHA256    *string `json:"sha256"`
	Bytes     int64   `json:"bytes"`
	Downloads any     `json:"downloads"`
	Files     int     `json:"files"`
	Licence   string  `json:"licence"`
	Terms     string  `json:"terms_url"`
	source    catalogue.Source
	record    *catalogue.Record
}

func (a fetchAnswer) String() string {
	rows := [][2]string{{"name", a.Name}, {"fetched", map[bool]string{true: "now", false: "before; unchanged"}[a.Fetched]}}
	for _, d := range a.record.Downloads {
		rows = append(rows, [2]string{"sha256", fmt.Sprintf("%s  %s, %d bytes", d.SHA256, d.Name, d.Bytes)})
	}
	against := map[bool]string{true: "the catalogue", false: "nothing: first use"}[a.Checksum == "catalogue"]
	return lines(append(rows, [2]string{"checked against", against}, [2]string{"files", fmt.Sprint(a.Files)}, [2]string{"licence", a.Licence},
		[2]string{"--data", dataFlag(a.source, a.record)})...)
}

func (f *dataFetch) run() error {
	source, err := sourceOf(f.Name)
	if err != nil {
		return usageError(err)
	}
	o := catalogue.Options{AcceptLicence: f.AcceptLicence, From: f.From}
	if o.Cache, err = f.dir(); err != nil {
		return err
	}
	o.Note = func(text string) { fmt.Fprintln(os.Stderr, "swlab:", text) }
	o.Progress = byteBar("downloading")
	ctx, stop := interruptible()
	defer stop()
	r, err := catalogue.Fetch(ctx, source, o)
	if err != nil {
		return fetchFailed(source, o, err)
	}
	if r.Checksum == "first use" && r.Fetched {
		fmt.Fprintf(os.Stderr, "swlab: %s: trusted without a published checksum; `swlab data verify %s` compares with this download\n", source.Name, source.Name)
	}
	return f.print(fetchAnswer{source.Name, r.Path(), source.Kind, source.Clouds, known(source.Points), known(source.Classes), r.Fetched, r.Checksum,
		known(r.SHA256), r.Bytes, r.Downloads, len(r.Files), source.Licence, source.TermsURL, source, r})
}

// dataFlag returns the value to give to --data: the name if it leads to the cache that was used.
func dataFlag(source catalogue.Source, record *catalogue.Record) string {
	if usual, err := catalogue.CacheDir(); err == nil && source.Path(usual) == record.Path() {
		return source.Name + "  (" + record.Path() + ")"
	}
	return record.Path()
}

// fetchFailed shows the terms if they have not been accepted, and says what else can be tried.
func fetchFailed(source catalogue.Source, o catalogue.Options, err error) error {
	switch {
	case errors.As(err, new(catalogue.UsageError)):
		if errors.Is(err, catalogue.ErrTerms) {
			fmt.Fprintf(os.Stderr, "%s: %s\n\n%s\n%s\n\n", source.Name, source.What, source.Terms, source.TermsURL)
		}
		return usageError(err)
	case errors.Is(err, context.Canceled):
		return errors.New("interrupted; the same command resumes")
	case o.From == "" && !errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("%w; --from takes a file that was downloaded by other means", err)
	}
	return err
}

type dataVerify struct {
	*common
	Place string `arg:"NAME" unit:"FILE|DIR" help:"a data set, or the folder of one; without it all that were fetched"`
	cache
}

func newDataVerify(c *common) *cobra.Command {
	return c.command("verify [NAME|PATH]", "Read fetched files again and compare them with the record made when they were fetched",
		"swlab data verify", &dataVerify{common: c})
}

func (v *dataVerify) unused(flag string) (string, error) {
	if _, err := catalogue.Find(v.Place); flag == "cache" && v.Place != "" && err != nil {
		return fmt.Sprintf("%s is a path, not the name of a data set", v.Place), nil
	}
	return "", nil
}

type verified struct {
	Name     string   `json:"name"`
	Path     string   `json:"path"`
	Checksum string   `json:"checksum"`
	Files    int      `json:"files"`
	OK       bool     `json:"ok"`
	Problems []string `json:"problems"`
}

type verifyAnswer struct {
	OK   bool       `json:"ok"`
	Sets []verified `json:"sets"`
	dir  string
}

func (a verifyAnswer) String() string {
	rows := [][2]string{}
	for _, s := range a.Sets {
		if s.OK {
			rows = append(rows, [2]string{s.Name, fmt.Sprintf("as fetched, %d files", s.Files)})
		}
		for _, p := range s.Problems {
			rows = append(rows, [2]string{s.Name, p})
		}
	}
	if len(a.Sets) == 0 {
		rows = append(rows, [2]string{"nothing has been fetched into", a.dir})
	}
	return lines(rows...)
}

func (v *dataVerify) run() error {
	dir, err := v.dir()
	if err != nil {
		return err
	}
	records, err := findRecords(v.Place, dir)
	if err != nil {
		return err
	}
	ctx, stop := interruptible()
	defer stop()
	answer, damaged := verifyAnswer{true, []verified{}, dir}, []string{}
	for _, r := range records {
		problems, err := r.Verify(ctx, byteBar("reading "+r.Name))
		if err != nil {
			return err
		}
		answer.Sets = append(answer.Sets, verified{r.Name, r.Path(), r.Checksum, len(r.Files), problems == nil, append([]string{}, problems...)})
		if problems != nil {
			answer.OK, damaged = false, append(damaged, r.Name)
		}
	}
	if err := v.print(answer); err != nil || answer.OK {
		return err
	}
	return fmt.Errorf("%s: not as fetched, or not what the catalogue says; delete the folder and fetch again", strings.Join(damaged, ", "))
}

// findRecords returns the record that a name or a path means; without one, all in the cache.
func findRecords(place, cache string) ([]*catalogue.Record, error) {
	if place == "" {
		var all []*catalogue.Record
		for _, s := range catalogue.All() {
			r, err := catalogue.ReadRecord(s.Dir(cache))
			if err == nil {
				all = append(all, r)
			} else if !errors.Is(err, os.ErrNotExist) {
				return nil, err
			}
		}
		return all, nil
	}
	source, err := catalogue.Find(place)
	if err == nil && source.Files == nil {
		return nil, usageError(fmt.Errorf("%s: made in memory, nothing is fetched; the test of its checksum is TestShapesChecksum in datasets", source.Name))
	}
	read := func() (*catalogue.Record, error) { return catalogue.FindRecord(place) }
	if err == nil {
		read = func() (*catalogue.Record, error) { return catalogue.ReadRecord(source.Dir(cache)) }
	}
	r, err := read()
	if errors.Is(err, os.ErrNotExist) {
		return nil, usageError(fmt.Errorf("%s: has not been fetched into %s", place, cache))
	}
	return []*catalogue.Record{r}, usageError(err)
}

// byteBar is a progress bar that counts in MB.
func byteBar(what string) func(file string, done, total int64) {
	bar, shown := newBar(what), int64(-1)
	return func(file string, done, total int64) {
		if n := done / 1_000_000; n != shown {
			shown = n
			bar(int(n), int(max(total, done)/1_000_000), "MB of "+file)
		}
	}
}
