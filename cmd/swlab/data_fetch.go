package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/datasets/fetch"
)

// sourceOf finds a data set of the catalogue.
var sourceOf = datasets.FindSource

func newDataFetch(c *common) *cobra.Command {
	var o fetch.Options
	cmd := &cobra.Command{
		Use:   "fetch NAME",
		Short: "download a data set of `swlab data list`, or take a file that was downloaded elsewhere; check it and unpack it",
		Args:  cobra.ExactArgs(1),
	}
	cache := cacheFlag(cmd)
	writes(cmd, "cache", workFolder)
	f := cmd.Flags()
	f.BoolVar(&o.AcceptLicence, "accept-licence", false, "you have read and accept the data set's terms")
	f.StringVar(&o.From, "from", "", "the file, or a folder with the files, downloaded by other means")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		source, err := sourceOf(args[0])
		if err != nil {
			return usageError(err)
		}
		if o.Cache, err = cache(); err != nil {
			return err
		}
		o.Note = func(text string) { fmt.Fprintln(os.Stderr, "swlab:", text) }
		o.Progress = byteBar("downloading")
		ctx, stop := interruptible()
		defer stop()
		record, err := fetch.Fetch(ctx, source, o)
		if err != nil {
			return fetchFailed(source, o, err)
		}
		if record.Checksum == "first use" && record.Fetched {
			fmt.Fprintf(os.Stderr, "swlab: %s: trusted without a published checksum; `swlab data verify %s` compares with this download\n", source.Name, source.Name)
		}
		rows := [][2]string{{"name", source.Name}, {"fetched", map[bool]string{true: "now", false: "before; unchanged"}[record.Fetched]}}
		for _, d := range record.Downloads {
			rows = append(rows, [2]string{"sha256", fmt.Sprintf("%s  %s, %d bytes", d.SHA256, d.Name, d.Bytes)})
		}
		rows = append(rows, [2]string{"checked against", map[bool]string{true: "the catalogue", false: "nothing: first use"}[record.Checksum == "catalogue"]},
			[2]string{"files", fmt.Sprint(len(record.Files))}, [2]string{"licence", source.Licence}, [2]string{"--data", dataFlag(source, record)})
		return c.print(map[string]any{
			"name": source.Name, "path": record.Path(), "kind": source.Kind, "clouds": source.Clouds, "points": known(source.Points), "classes": known(source.Classes),
			"fetched": record.Fetched, "checksum": record.Checksum, "sha256": known(record.SHA256), "bytes": record.Bytes,
			"downloads": record.Downloads, "files": len(record.Files), "licence": source.Licence, "terms_url": source.TermsURL,
		}, rows...)
	}
	return cmd
}

// dataFlag returns the value to give to --data: the name if it leads to the cache that was used.
func dataFlag(source datasets.Source, record *fetch.Record) string {
	if usual, err := datasets.CacheDir(); err == nil && source.Path(usual) == record.Path() {
		return source.Name + "  (" + record.Path() + ")"
	}
	return record.Path()
}

// fetchFailed shows the terms if they have not been accepted, and says what else can be tried.
func fetchFailed(source datasets.Source, o fetch.Options, err error) error {
	switch {
	case errors.As(err, new(fetch.UsageError)):
		if errors.Is(err, fetch.ErrTerms) {
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

func newDataVerify(c *common) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "verify [NAME|PATH]",
		Short: "read fetched files again and compare them with the record made when they were fetched",
		Args:  cobra.MaximumNArgs(1),
	}
	cache := cacheFlag(cmd)
	reads(cmd, "cache")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		dir, err := cache()
		if err != nil {
			return err
		}
		records, err := findRecords(args, dir)
		if err != nil {
			return err
		}
		ctx, stop := interruptible()
		defer stop()
		type result struct {
			Name     string   `json:"name"`
			Path     string   `json:"path"`
			Checksum string   `json:"checksum"`
			Files    int      `json:"files"`
			OK       bool     `json:"ok"`
			Problems []string `json:"problems"`
		}
		results, damaged, rows := []result{}, []string{}, [][2]string{}
		for _, r := range records {
			problems, err := verifyRecord(ctx, r)
			if err != nil {
				return err
			}
			results = append(results, result{r.Name, r.Path(), r.Checksum, len(r.Files), problems == nil, append([]string{}, problems...)})
			if problems == nil {
				rows = append(rows, [2]string{r.Name, fmt.Sprintf("as fetched, %d files", len(r.Files))})
			} else {
				damaged = append(damaged, r.Name)
			}
			for _, p := range problems {
				rows = append(rows, [2]string{r.Name, p})
			}
		}
		if len(records) == 0 {
			rows = append(rows, [2]string{"nothing has been fetched into", dir})
		}
		if err := c.print(map[string]any{"ok": len(damaged) == 0, "sets": results}, rows...); err != nil {
			return err
		}
		if len(damaged) > 0 {
			return fmt.Errorf("%s: not as fetched, or not what the catalogue says; delete the folder and fetch again", strings.Join(damaged, ", "))
		}
		return nil
	}
	return refuse(cmd, func(flag string) (string, error) {
		place := cmd.Flags().Arg(0)
		if _, err := datasets.FindSource(place); flag == "cache" && place != "" && err != nil {
			return fmt.Sprintf("%s is a path, not the name of a data set", place), nil
		}
		return "", nil
	})
}

// verifyRecord returns how files differ from their record and, without a published sum, from the
// catalogue's numbers.
func verifyRecord(ctx context.Context, r *fetch.Record) ([]string, error) {
	problems, err := r.Verify(ctx, byteBar("reading "+r.Name))
	if err != nil || problems != nil || r.Checksum == "catalogue" {
		return problems, err
	}
	if source, err := sourceOf(r.Name); err == nil {
		if err := source.Check(r.Path()); err != nil {
			return []string{err.Error()}, nil
		}
	}
	return nil, nil
}

// findRecords returns the record that a name or a path means; without arguments, all in the cache.
func findRecords(args []string, cache string) ([]*fetch.Record, error) {
	if len(args) == 0 {
		var all []*fetch.Record
		for _, s := range datasets.Catalogue() {
			r, err := fetch.ReadRecord(s.Dir(cache))
			if err == nil {
				all = append(all, r)
			} else if !errors.Is(err, os.ErrNotExist) {
				return nil, err
			}
		}
		return all, nil
	}
	source, err := datasets.FindSource(args[0])
	if err == nil && source.Files == nil {
		return nil, usageError(fmt.Errorf("%s: made in memory, nothing is fetched; the test of its checksum is TestShapesChecksum in datasets", source.Name))
	}
	read := func() (*fetch.Record, error) { return fetch.FindRecord(args[0]) }
	if err == nil {
		read = func() (*fetch.Record, error) { return fetch.ReadRecord(source.Dir(cache)) }
	}
	r, err := read()
	if errors.Is(err, os.ErrNotExist) {
		return nil, usageError(fmt.Errorf("%s: has not been fetched into %s", args[0], cache))
	}
	return []*fetch.Record{r}, usageError(err)
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
