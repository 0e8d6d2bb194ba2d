package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/internal/durable"
	"github.com/sliced-wasserstein/lab/swlab/train"
)

// Every command declares, after its flags, which of them name files and folders: reads, readsRun
// and readsArguments for what it reads, writes for what it makes. Before any work checkFiles then
// finds what would be destroyed or cannot be written.

// What writes accepts besides extensions.
const (
	newFolder = "new folder" // must be missing or empty
	anyFolder = "folder"     // may hold anything; files are added at the end
	// workFolder grows during the work: runs, stores, caches; its contents are reused.
	workFolder = "work folder"
)

// picture lists the extensions of pictures.
var picture = []string{".png", ".svg", ".pdf"}

// The annotations of declared flags and, for arguments, of the command.
const (
	readsKey, readsRunKey, writesKey = "swlab reads", "swlab reads a run", "swlab writes"
)

// reads declares flags that name a file or folder to read.
func reads(cmd *cobra.Command, flags ...string) { annotate(cmd, readsKey, nil, flags...) }

// readsRun declares a flag that names a run folder to read. The clouds that the run was trained on
// are also read.
func readsRun(cmd *cobra.Command, flag string) { annotate(cmd, readsRunKey, nil, flag) }

// readsArguments declares that the arguments of a command are files or folders to read.
func readsArguments(cmd *cobra.Command) {
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations[readsKey] = ""
}

// writes declares a flag that names what the command writes: a file with one of these extensions,
// or a folder of a kind above. A command that writes files gets --force. Which files it adds to a
// folder the command checks itself (replaceable).
func writes(cmd *cobra.Command, flag string, as ...string) {
	annotate(cmd, writesKey, as, flag)
	if (strings.HasPrefix(as[0], ".") || as[0] == anyFolder) && cmd.Flags().Lookup("force") == nil {
		cmd.Flags().Bool("force", false, "replace output files that exist")
	}
}

func annotate(cmd *cobra.Command, key string, values []string, flags ...string) {
	for _, name := range flags {
		if err := cmd.Flags().SetAnnotation(name, key, values); err != nil {
			panic(err) // no such flag: a bug in the command's definition
		}
	}
}

// place is a file or folder of a call.
type place struct {
	flag string // as in messages: --x
	path string // as given
	real string // absolute, links followed
	info fs.FileInfo
	as   []string // outputs: what writes declared
	run  bool     // inputs: a run folder
}

// checkFiles checks the files that a call is to write. No output may be an input or another output,
// existing files are replaced only with --force, and every output must be writable.
func checkFiles(cmd *cobra.Command, args []string) error {
	outputs := declared(cmd, writesKey)
	force, _ := cmd.Flags().GetBool("force") // false without such a flag
	if force && !slices.ContainsFunc(outputs, func(p place) bool { return p.file() || slices.Contains(p.as, anyFolder) }) {
		return errors.New("--force would do nothing: the call writes no file")
	}
	if len(outputs) == 0 {
		return nil
	}
	inputs := inputsOf(cmd, args)
	for i := range outputs {
		out := &outputs[i]
		if err := out.resolve(); err != nil {
			return fmt.Errorf("%s: %w", out.flag, err)
		}
		for _, in := range inputs {
			if err := out.against(in); err != nil {
				return fmt.Errorf("%s: %w", out.flag, err)
			}
		}
		for _, other := range outputs[:i] {
			if (out.file() || other.file()) && out.same(other) {
				return fmt.Errorf("%s: %s is also an output, %s; expected another %s", out.flag, out.path, other.flag, out.noun())
			}
		}
		if out.file() && out.info != nil && !force {
			return fmt.Errorf("%s: %s exists; --force replaces it", out.flag, out.path)
		}
	}
	for _, out := range outputs {
		if err := out.probe(); err != nil {
			return fmt.Errorf("%s: no file can be made there: %w", out.flag, err)
		}
	}
	return nil
}

// declared returns the places named by flags with that annotation, if given or with a default.
func declared(cmd *cobra.Command, key string) []place {
	var out []place
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		as, is := f.Annotations[key]
		if !is {
			return
		}
		paths := []string{f.Value.String()}
		if several, is := f.Value.(pflag.SliceValue); is {
			paths = several.GetSlice()
		}
		for _, path := range paths {
			if path != "" {
				out = append(out, place{flag: "--" + f.Name, path: path, as: as, run: key == readsRunKey})
			}
		}
	})
	return out
}

// inputsOf returns what a call reads, as far as it exists. What is missing or not a file is
// reported where it is read.
func inputsOf(cmd *cobra.Command, args []string) []place {
	in := append(declared(cmd, readsKey), declared(cmd, readsRunKey)...)
	if _, is := cmd.Annotations[readsKey]; is {
		for _, path := range args {
			in = append(in, place{flag: "the argument", path: path})
		}
	}
	for _, run := range in {
		if !run.run {
			continue
		}
		if c, err := train.ReadConfig(run.path); err == nil {
			in = append(in, place{flag: "the data of " + run.flag, path: c.Data})
		}
	}
	var there []place
	for _, p := range in {
		if p.find() {
			there = append(there, p)
		}
	}
	return there
}

// find follows the links to an input and reports whether there is one.
func (p *place) find() bool {
	path, err := datasets.Locate(p.path)
	if err != nil || path == datasets.Builtin {
		return false
	}
	if p.real, err = realPath(path); err != nil {
		return false
	}
	p.info, err = os.Stat(p.real)
	return err == nil
}

// realPath is the absolute path of something that exists, links followed.
func realPath(path string) (string, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}

// file reports whether an output is a file, not a folder.
func (p *place) file() bool {
	return strings.HasPrefix(p.as[0], ".") && !(slices.Contains(p.as, newFolder) && !p.fits())
}

// fits reports whether the name ends in one of the extensions.
func (p *place) fits() bool {
	return slices.Contains(p.as, strings.ToLower(filepath.Ext(p.path)))
}

// resolve finds where an output goes, and whether it can be one.
func (p *place) resolve() error {
	if !p.file() {
		return p.resolveFolder()
	}
	if !p.fits() {
		if len(p.as) == 1 {
			return fmt.Errorf("expected a %s file, found %q", p.as[0], p.path)
		}
		return fmt.Errorf("expected a name that ends in %s, found %q", either(p.as), p.path)
	}
	dir := filepath.Dir(p.path)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return fmt.Errorf("expected a file in a folder that exists, found no folder %s", dir)
	}
	target, info, err := durable.Target(p.path)
	if err != nil {
		return err
	}
	if dir, err = realPath(filepath.Dir(target)); err != nil {
		return err
	}
	p.real, p.info = filepath.Join(dir, filepath.Base(target)), info
	if ext := strings.ToLower(filepath.Ext(p.real)); !slices.Contains(p.as, ext) {
		return fmt.Errorf("%s is a link to %s, expected a link to a name that ends in %s", p.path, target, either(p.as))
	}
	return nil
}

// replaceable returns an error if files that a call is to add to a folder exist and force is not
// given, or are not regular files: links are not followed here.
func replaceable(flag, pattern string, force bool) error {
	there, err := filepath.Glob(pattern)
	if err != nil {
		return fmt.Errorf("--%s: %w", flag, err)
	}
	for _, path := range there {
		info, err := os.Lstat(path)
		switch {
		case err != nil:
			return fmt.Errorf("--%s: %w", flag, err)
		case !info.Mode().IsRegular():
			return fmt.Errorf("--%s: expected a regular file at %s, found %s", flag, path, durable.Kind(info.Mode()))
		case !force:
			return fmt.Errorf("--%s: %s exists; --force replaces it", flag, path)
		}
	}
	return nil
}

// fileEndings are extensions of files that users give to --out where it names a folder.
var fileEndings = []string{".npz", ".h5", ".hdf5", ".csv", ".tsv", ".txt", ".json", ".mat", ".pt", ".pth", ".pkl", ".safetensors", ".png", ".svg", ".pdf", ".html",
	".off", ".obj", ".ply", ".stl", ".xyz", ".pts", ".pcd"}

// resolveFolder is resolve for a folder, which need not exist.
func (p *place) resolveFolder() error {
	if slices.Contains(p.as, newFolder) && slices.Contains(fileEndings, strings.ToLower(filepath.Ext(p.path))) {
		return fmt.Errorf("expected a %s file or a new folder, found %q", p.as[0], p.path)
	}
	existing, err := existing(p.path)
	if err != nil {
		return err
	}
	info, err := os.Stat(existing)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("expected a folder, found %s %s", modeName(info), existing)
	}
	there, err := realPath(existing)
	if err != nil {
		return err
	}
	rest, err := filepath.Rel(existing, filepath.Clean(p.path))
	if err != nil {
		return err
	}
	p.real = filepath.Join(there, rest)
	if rest != "." {
		return nil
	}
	p.info = info
	if slices.Contains(p.as, newFolder) {
		if entries, err := os.ReadDir(there); err != nil || len(entries) > 0 {
			return errors.Join(err, fmt.Errorf("%s: the folder is not empty: expected a new one", p.path))
		}
	}
	return nil
}

func modeName(info fs.FileInfo) string {
	if info.Mode().IsRegular() {
		return "the file"
	}
	return durable.Kind(info.Mode())
}

// existing returns the part of a path that exists.
func existing(path string) (string, error) {
	path = filepath.Clean(path)
	for {
		_, err := os.Lstat(path)
		up := filepath.Dir(path)
		if err == nil || up == path {
			return path, err
		}
		path = up
	}
}

// same reports whether two places are the same, after links and hard links.
func (p *place) same(q place) bool {
	return p.real == q.real || p.info != nil && q.info != nil && os.SameFile(p.info, q.info)
}

// against returns an error if writing p would change the input in.
func (p *place) against(in place) error {
	if p.same(in) {
		return fmt.Errorf("%s is also an input, %s; expected another %s", p.path, in.flag, p.noun())
	}
	if in.run { // its files have known names, which no output has
		return nil
	}
	reaches := p.real
	if !p.file() {
		reaches = filepath.Join(p.real, "points.npy")
	}
	if datasets.Reads(in.real, reaches) {
		return fmt.Errorf("%s would be read as clouds of %s, %s; expected a %s elsewhere", p.path, in.path, in.flag, p.noun())
	}
	return nil
}

func (p *place) noun() string {
	if p.file() {
		return "file"
	}
	return "folder"
}

// probe tries to create a file where the output goes. A work folder that exists is left alone:
// other processes may use it, and the call writes there before it works.
func (p *place) probe() error {
	if p.file() {
		return durable.Probe(p.path)
	}
	if p.info != nil && p.as[0] == workFolder {
		return nil
	}
	dir, err := existing(p.path)
	if err != nil {
		return err
	}
	return durable.ProbeDir(dir)
}
