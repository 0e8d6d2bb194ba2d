package main

import (
	"encoding"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments/reproduce"
	"github.com/sliced-wasserstein/lab/experiments/sweep"
	"github.com/sliced-wasserstein/lab/experiments/table"
	"github.com/sliced-wasserstein/lab/internal/settings"
	"github.com/sliced-wasserstein/lab/internal/suggest"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/latent"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/metric"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
)

// kind describes the value of a flag: for the help, for shell completion, and for errors. Whether a
// flag has an effect in a call is decided by the call (refuse).
type kind struct {
	unit string // follows the flag in the help: a unit, or FILE, DIR, NAME
	// words are completions; nil: nothing, or files if unit is FILE or DIR.
	words func() []string
	known func() []string // the only valid words; nil: words and one, if set
	list  bool            // comma-separated words, or a prefix of the value: not checked here
	what  string          // what a word names, such as a loss; "": a choice without a name
	above *float64        // exclusive lower bound of numbers
	least *float64        // inclusive lower bound
}

func words(list ...string) func() []string { return func() []string { return list } }

func bound(v float64) *float64 { return &v }

var (
	file     = kind{unit: "FILE"}
	folderOf = kind{unit: "DIR"}
	clouds   = kind{unit: "FILE|DIR"}
	splits   = kind{unit: "PART", words: words("train", "test", "val", "all")}
	epochs   = kind{unit: "epochs"}
	numbered = kind{unit: "1,2,..."}
	free     = kind{unit: "TEXT"}
)

// kinds holds the kinds of all flags by their names. "CALL FLAG" takes precedence over "FLAG".
// Flags without one keep the words of package pflag.
var kinds = map[string]kind{
	"seed":    {unit: "N"},
	"backend": {unit: "NAME", words: words("auto", "xla:cuda", "xla:cpu", "go")},
	"format":  {unit: "NAME", words: words("text", "json")},

	"loss":           {unit: "NAME", words: loss.Names, what: "loss"},
	"train loss":     {unit: "NAME", words: loss.GraphNames, known: loss.Names, what: "loss"},
	"sweep loss":     {unit: "NAME", words: loss.GraphNames, known: loss.Names, what: "loss"},
	"p":              {unit: "exponent", least: bound(1)},
	"slices":         {unit: "directions", least: bound(1)},
	"slicing":        {unit: "NAME", words: slicing.Names, what: "slicing distribution"},
	"kappa":          {unit: "concentration"},
	"reflection":     {unit: "NAME", words: words("released", "exact", "stable")},
	"chain":          {unit: "steps", least: bound(1)},
	"replicates":     {unit: "sets", least: bound(1)},
	"control":        {unit: "NAME", words: loss.ControlNames, what: "control variate"},
	"epsilon":        {unit: "cost", above: bound(0)},
	"ascent-steps":   {unit: "steps"},
	"ascent-rate":    {unit: "rate", above: bound(0)},
	"ground":         {unit: "NAME", words: words("euclidean", "p")},
	"reg":            {unit: "cost", above: bound(0)},
	"reduce":         {unit: "NAME", words: words("sum", "mean")},
	"amortizer":      {unit: "NAME", words: amortizer.Names, what: "amortizer"},
	"dk":             {unit: "width", least: bound(1)},
	"k":              {unit: "keys", least: bound(1)},
	"variant":        {unit: "NAME", words: words("released", "paper")},
	"path":           {unit: "NAME", words: words("auto", "host", "graph")},
	"weights":        file,
	"directions":     file,
	"mass-x":         file,
	"mass-y":         file,
	"out-slices":     file,
	"out-grad":       file,
	"out-directions": file,

	"x": clouds, "y": clouds, "data": clouds, "test": clouds, "reference": clouds, "generated": clouds,
	"key":        {unit: "NAME"},
	"points":     {unit: "points"},
	"split":      splits,
	"test-split": splits,
	"run":        folderOf,
	"state":      {unit: "NAME", words: words("best", "last")},
	"out":        file, "train out": folderOf, "sweep out": folderOf, "table run out": folderOf, "data sample out": clouds,
	"out-per-cloud": file,
	"distances":     {unit: "NAMES", words: metric.Distances, list: true},
	"store":         folderOf,
	"clouds":        {unit: "clouds"},
	"sinkhorn":      {unit: "NAME", words: func() []string { return latent.Sinkhorns }},

	"batch": {unit: "clouds"}, "epochs": epochs, "steps": {unit: "steps"}, "checkpoint-every": {unit: "steps"}, "on-nonfinite": {unit: "NAME", words: words("stop", "skip")},
	"learning-rate": {unit: "rate", above: bound(0)}, "momentum": {unit: "factor", least: bound(0)}, "weight-decay": {unit: "factor", least: bound(0)},
	"amortizer-learning-rate": {unit: "rate", above: bound(0)}, "amortizer-beta1": {unit: "factor", least: bound(0)}, "amortizer-beta2": {unit: "factor", least: bound(0)},
	"amortizer-steps": {unit: "steps", least: bound(1)},
	"normalize":       {unit: "NAME", words: words("auto", "unit", "none")},
	"recipe":          {unit: "NAME", words: words("released", "text")},

	"vary":         {unit: "NAME=V1,V2", words: func() []string { return assignments(sweep.Names()) }, list: true},
	"plot":         file,
	"sweep format": {unit: "NAME", words: table.Formats},
	"seeds":        numbered,

	"preset":           {unit: "NAME", words: reproduce.PresetNames},
	"set":              {unit: "NAME=VALUE", words: func() []string { return assignments(reproduce.SettingNames()) }, list: true},
	"rows":             {unit: "NAMES"},
	"select":           {unit: "NAME", words: func() []string { return reproduce.Selections }},
	"table run format": {unit: "NAME", words: table.Formats},
	"pictures":         folderOf,
	"jobs":             {unit: "processes"},
	"job":              {unit: "ROW/SEED"}, "plan": folderOf, "index": {unit: "N"},

	"cache": folderOf, "from": clouds,
	"classes": {unit: "NAMES"}, "val": {unit: "fraction"}, "data info test": {unit: "fraction"},

	"classifier": {unit: "NAME", words: words("mlp", "svm")}, "svm-c": {unit: "weight", above: bound(0)},
	"caption": free, "view": {unit: "AZIMUTH,ELEVATION"}, "direction": {unit: "X,Y,..."}, "pair": {unit: "I,J"},
	"distribution": {unit: "NAME", words: slicing.Names, what: "slicing distribution"}, "smooth": {unit: "weight", least: bound(0)},
	"plot clouds normalize": {unit: "NAME", words: words("none", "unit")}, "distance normalize": {unit: "NAME", words: words("none", "unit")},
	"metrics normalize": {unit: "NAME", words: words("none", "unit")}, "plot clouds clouds": {unit: "clouds", least: bound(1)},
	"plot sphere n": {unit: "directions", least: bound(1)},

	"location": {unit: "X,Y,..."}, "n": {unit: "samples"}, "dim": {unit: "dimension"},
}

// settingFlags gives each setting of the struct that c points to a flag. Name, help and default are
// the field's.
func settingFlags(f *pflag.FlagSet, c any, except ...string) {
	for _, s := range settings.Of(c, "help") {
		if slices.Contains(except, s.Name) {
			continue
		}
		name, help := strings.ReplaceAll(s.Name, "_", "-"), s.Tag.Get("help")
		if strings.Contains(help, "%s") {
			k, ok := kinds["train "+name]
			if !ok {
				k = kinds[name]
			}
			help = fmt.Sprintf(help, strings.Join(k.words(), ", "))
		}
		switch v := s.Pointer().(type) {
		case *int:
			f.IntVar(v, name, *v, help)
		case *float64:
			f.Float64Var(v, name, *v, help)
		case *bool:
			f.BoolVar(v, name, *v, help)
		case *string:
			f.StringVar(v, name, *v, help)
		case encoding.TextUnmarshaler:
			f.TextVar(v, name, s.Value().(encoding.TextMarshaler), help)
		}
	}
}

func assignments(names []string) []string {
	var out []string
	for _, n := range names {
		out = append(out, n+"=")
	}
	return out
}

// kindOf returns the kind of a flag of a command.
func kindOf(cmd *cobra.Command, flag string) (kind, bool) {
	if k, ok := kinds[callOf(cmd)+" "+flag]; ok {
		return k, true
	}
	k, ok := kinds[flag]
	return k, ok
}

// dress applies the kinds to the flags of a command and of those below it: in errors, help and
// completion.
func dress(cmd *cobra.Command, completing *bool) {
	visit := func(f *pflag.Flag) {
		if _, done := f.Value.(*value); done || f.Name == "help" {
			return
		}
		k, _ := kindOf(cmd, f.Name)
		_, list := f.Value.(pflag.SliceValue)
		if list && f.DefValue == "[]" {
			f.DefValue = "" // nothing is shown for it in the help
		}
		f.Value = &value{Value: f.Value, kind: k, flag: f, list: list, again: completing}
		completeFlag(cmd, f, k)
	}
	cmd.LocalNonPersistentFlags().VisitAll(visit)
	cmd.PersistentFlags().VisitAll(visit)
	for _, sub := range cmd.Commands() {
		dress(sub, completing)
	}
}

// completeFlag completes the flag's value in the shell. If nothing is known, the shell offers
// files.
func completeFlag(cmd *cobra.Command, f *pflag.Flag, k kind) {
	if k.unit == "DIR" {
		_ = cmd.MarkFlagDirname(f.Name)
		return
	}
	if k.unit == file.unit || k.unit == clouds.unit {
		return
	}
	_ = cmd.RegisterFlagCompletionFunc(f.Name, func(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		if k.words == nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		directive := cobra.ShellCompDirectiveNoFileComp
		before, rest := "", begun
		if i := strings.LastIndex(begun, ","); k.list && i >= 0 {
			before, rest = begun[:i+1], begun[i+1:]
		}
		var out []string
		for _, w := range k.words() {
			if strings.HasPrefix(w, rest) {
				out = append(out, before+w)
			}
			if strings.HasSuffix(w, "=") {
				directive |= cobra.ShellCompDirectiveNoSpace
			}
		}
		return out, directive
	})
}

// value is the value of a flag. It may be given once and must be one of the words of its kind.
// Errors say what was expected.
type value struct {
	pflag.Value
	kind  kind
	flag  *pflag.Flag
	list  bool    // may be repeated, which adds to it
	again *bool   // it may be repeated nevertheless
	given *string // nil: not yet
}

// Type is what follows the flag in the help.
func (v *value) Type() string {
	if v.kind.unit == "" || v.Value.Type() == "bool" {
		return v.Value.Type()
	}
	return v.kind.unit
}

func (v *value) Set(text string) error {
	if v.given != nil && !v.list && !*v.again {
		return fmt.Errorf("given twice, %q and %q", *v.given, text)
	}
	if text == "" { // most often an unset shell variable
		return errors.New(`expected a value, found ""`)
	}
	if err := v.kind.check(text); err != nil {
		return err
	}
	if err := v.Value.Set(text); err != nil {
		return inWords(v.Value.Type(), text, err)
	}
	if err := v.bounded(text); err != nil {
		return err
	}
	v.given = &text
	return nil
}

// check returns an error for a word that the flag does not take.
func (k kind) check(text string) error {
	known := k.known
	if known == nil {
		known = k.words
	}
	switch {
	case known == nil:
		return nil
	case k.list:
		for _, word := range strings.Split(text, ",") {
			// The library checks what precedes =.
			if !slices.Contains(known(), word) && !strings.HasSuffix(known()[0], "=") {
				return fmt.Errorf("expected some of %s, found %q%s", strings.Join(known(), ", "), word, suggest.Hint(word, known()))
			}
		}
		return nil
	case slices.Contains(known(), text):
		return nil
	case k.what != "":
		return suggest.Unknown(k.what, text, known())
	}
	return fmt.Errorf("expected %s, found %q%s", either(known()), text, suggest.Hint(text, known()))
}

// bounded returns an error for a number that is not finite, or out of the bounds of its kind.
func (v *value) bounded(text string) error {
	if t := v.Value.Type(); t != "float64" && t != "int" {
		return nil
	}
	n, err := strconv.ParseFloat(v.Value.String(), 64)
	k := v.kind
	switch {
	case err != nil || math.IsNaN(n) || math.IsInf(n, 0):
		return fmt.Errorf("expected a finite number, found %q", text)
	case k.above != nil && !(n > *k.above):
		return fmt.Errorf("expected a number > %g, found %s", *k.above, text)
	case k.least != nil && n < *k.least && v.Value.Type() == "int":
		return fmt.Errorf("expected at least %g, found %s", *k.least, text)
	case k.least != nil && n < *k.least:
		return fmt.Errorf("expected a number >= %g, found %s", *k.least, text)
	}
	return nil
}

// inWords is the error of a value that could not be parsed, without the names of Go's functions.
func inWords(kind, text string, err error) error {
	expected := map[string]string{"int": "a whole number", "uint64": "a whole number, 0 or more", "float64": "a number", "bool": "true or false",
		"float64Slice": "numbers separated by commas", "intSlice": "whole numbers separated by commas", "duration": "a time such as 30s or 2m"}[kind]
	if expected == "" {
		return err // the value's own words
	}
	if errors.Is(err, strconv.ErrRange) {
		switch kind {
		case "int":
			expected += fmt.Sprintf(" from %d to %d", math.MinInt, math.MaxInt)
		case "uint64":
			expected = fmt.Sprintf("a whole number from 0 to %d", uint64(math.MaxUint64))
		case "float64":
			expected += fmt.Sprintf(" of at most %.2g", math.MaxFloat64)
		}
	}
	return fmt.Errorf("expected %s, found %q", expected, text)
}

// either formats alternatives: "a, b or c".
func either(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// flagError rewords an error of flag parsing: what the flag is, what was expected, what was found.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	var syntax *pflag.InvalidSyntaxError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		err = fmt.Errorf("unknown flag -%s: flags start with two dashes; `%s --help` lists them", unknown.GetSpecifiedShortnames(), cmd.CommandPath())
	case errors.As(err, &unknown):
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, "--"+f.Name)
			}
		})
		name := "--" + unknown.GetSpecifiedName()
		err = fmt.Errorf("unknown flag %s%s; `%s --help` lists them", name, strings.ReplaceAll(suggest.Hint(name, names), `"`, ""), cmd.CommandPath())
	case errors.As(err, &missing):
		err = fmt.Errorf("--%s: expected a value after it, found none", missing.GetSpecifiedName())
	case errors.As(err, &invalid):
		err = fmt.Errorf("--%s: %w", invalid.GetFlag().Name, invalid.Unwrap())
	case errors.As(err, &syntax):
		err = fmt.Errorf("expected a flag such as --seed, found %q", syntax.GetSpecifiedFlag())
	}
	return usageError(err)
}

// argumentError says which arguments a command takes.
func argumentError(cmd *cobra.Command, args []string) error {
	call := strings.TrimSpace(cmd.Parent().CommandPath() + " " + cmd.Use)
	if len(args) == 0 {
		return fmt.Errorf("an argument is missing: expected `%s`", call)
	}
	last := args[len(args)-1]
	hint := ""
	if last == "true" || last == "false" {
		hint = fmt.Sprintf("; a flag is switched by --FLAG=%s, in one word", last)
	}
	return fmt.Errorf("unexpected argument %q: expected `%s`%s", last, call, hint)
}

// group makes a command that only holds others. Alone it shows its help; an unknown subcommand is
// an error.
func group(cmd *cobra.Command) *cobra.Command {
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return unknownCall(cmd, args[0])
	}
	return cmd
}

// unknownCall is the error for an unknown subcommand of cmd.
func unknownCall(cmd *cobra.Command, word string) error {
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	help := "swlab help"
	if cmd.HasParent() {
		word, help = cmd.Name()+" "+word, cmd.CommandPath()
		for i := range names {
			names[i] = cmd.Name() + " " + names[i]
		}
	}
	return usageError(fmt.Errorf("unknown call %q; `%s` lists them%s", word, help, suggest.Hint(word, names)))
}

// refuse makes a flag without effect an error. rule is called for every flag given: why says why it
// has no effect here, "" if it has one; an error is what is wrong with the call in any case.
func refuse(cmd *cobra.Command, rule func(flag string) (why string, err error)) *cobra.Command {
	work := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var wrong error
		cmd.Flags().Visit(func(f *pflag.Flag) {
			if wrong != nil {
				return
			}
			why, err := rule(f.Name)
			if err != nil {
				wrong = err
			} else if why != "" {
				wrong = fmt.Errorf("--%s would do nothing: %s", f.Name, why)
			}
		})
		if wrong != nil {
			return usageError(wrong)
		}
		return work(cmd, args)
	}
	return cmd
}

// setting returns the flag's name among the settings of losses, "" if it is none.
func setting(flag string) string {
	name := strings.ReplaceAll(flag, "-", "_")
	if slices.Contains(loss.SettingNames(), name) {
		return name
	}
	return ""
}

// unread says why a loss with those settings does not read one of them; "" if it does.
func unread(name string, s loss.Config, given bool, what string) (string, error) {
	why, err := loss.Unread(name, s, given, what)
	if err == nil && why == "" {
		err = longer(name, s, what)
	}
	return why, err
}

// longer returns an error for chains longer than there are slices, or more sets than slices: they
// would be cut.
func longer(name string, s loss.Config, what string) error {
	n := map[string]int{"chain": s.Chain, "replicates": s.Replicates}[what]
	if n == 0 {
		return nil
	}
	s.Maps.Points = 1 // whatever the clouds
	l, err := loss.New(name, s)
	if sliced, is := l.(loss.Sliced); is && n > sliced.Slicer.Slices {
		return fmt.Errorf("--%s: expected at most the number of slices, %d, found %d", what, sliced.Slicer.Slices, n)
	}
	return err
}

// unkeyed says why --key has no effect for clouds at those paths, "" if one of them uses it.
func unkeyed(paths ...string) string {
	for _, path := range paths {
		if datasets.ReadsKey(path) {
			return ""
		}
	}
	return fmt.Sprintf("only .npz and .h5 files hold arrays by name, found %s", strings.Join(paths, " and "))
}

// unparted says why a flag cannot choose a part, "" if it can: the clouds have parts, or all are
// asked for.
func unparted(h *datasets.Set, split string) string {
	if h.Split != nil || split == "all" {
		return ""
	}
	return fmt.Sprintf("%s has no parts, and all of its clouds are used", h.Name)
}

// parted returns an error if the flag chooses a part of clouds without parts.
func (c *common) parted(flag string, clouds *datasets.Set, split string) error {
	if why := unparted(clouds, split); why != "" && c.given(flag) {
		return usageError(fmt.Errorf("--%s would do nothing: %s", flag, why))
	}
	return nil
}

// given reports whether the flag was given.
func (c *common) given(flag string) bool { return c.call != nil && c.call.Flags().Changed(flag) }
