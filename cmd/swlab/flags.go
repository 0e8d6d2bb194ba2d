package main

import (
	"cmp"
	"encoding"
	"errors"
	"fmt"
	"math"
	"reflect"
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
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
)

// runner is a call: a struct whose fields are its flags and arguments. Their tags say all about them:
//
//	flag    its name; a setting of a library is named as in JSON
//	arg     what an argument in its place is called; "X..." takes all that follow
//	need    any text: the call is wrong without it
//	help    a line that can be read alone; %s stands for the names that are registered
//	unit    what the value is: FILE, DIR, NAME
//	words   the values, separated by spaces, or the name of others in registered
//	range   of a number (package settings)
//	group   heading in the help; the groups are in help.go
//	reads   clouds, file or run: the call reads what is there
//	writes  extensions of a file that the call writes, or a kind of folder (files.go)
//
// A call may also have prepare, which completes it, and unused, which says why a flag that was given
// has no effect; "" if it has one.
type runner interface{ run() error }

type (
	preparer interface{ prepare() error }
	refuser  interface {
		unused(flag string) (why string, err error)
	}
)

// unflagged are settings that have no flag.
type unflagged []string

// command makes the command of a call. The settings are pointers to structs whose fields are flags,
// too, and may end with those unflagged.
func (c *common) command(use, short, example string, call runner, settings ...any) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Example: "  " + strings.ReplaceAll(example, "\n", "\n  ")}
	var without unflagged
	if n := len(settings); n > 0 {
		if names, is := settings[n-1].(unflagged); is {
			without, settings = names, settings[:n-1]
		}
	}
	var options []option
	for _, from := range append([]any{call}, settings...) {
		options = append(options, c.flags(cmd.Flags(), from, without...)...)
	}
	for _, o := range options {
		c.complete(cmd, o)
		if n := o.names(); o.flag == nil && n.words != nil {
			cmd.ValidArgs = n.words()
		}
	}
	force := false
	if slices.ContainsFunc(options, option.replaces) {
		cmd.Flags().BoolVar(&force, "force", false, "replace output files that exist")
		annotate(cmd.Flags().Lookup("force"), "group", "Output")
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error { return usageError(arguments(cmd, options, args)) }
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := needed(cmd, options); err != nil {
			return usageError(err)
		}
		if err := checkFiles(cmd.Flags(), options, force); err != nil {
			return usageError(err)
		}
		if p, is := call.(preparer); is {
			if err := p.prepare(); err != nil {
				return usageError(err)
			}
		}
		if err := refused(cmd.Flags(), options, call); err != nil {
			return usageError(err)
		}
		return call.run()
	}
	return cmd
}

// option is a flag, an argument, or both.
type option struct {
	settings.Field
	flag *pflag.Flag // nil: only an argument
}

func (o option) tag(key string) string { return o.Tag.Get(key) }

// name is the flag, or what the argument is called.
func (o option) name() string {
	if o.flag != nil {
		return "--" + o.flag.Name
	}
	return "the argument"
}

// flags adds a flag for every field of a struct that has help.
func (c *common) flags(set *pflag.FlagSet, from any, without ...string) []option {
	var out []option
	for _, field := range settings.Of(from, "help", "usage") {
		o := option{Field: field}
		name := strings.ReplaceAll(field.Name, "_", "-")
		switch {
		case slices.Contains(without, field.Name) || c.has(field) && from != any(c):
			continue
		case field.Tag.Get("flag") != "" || field.Tag.Get("json") != "":
			o.flag = o.define(set, name, letters[name])
			for _, key := range []string{"group", "reads", "writes"} {
				annotate(o.flag, key, o.tag(key))
			}
			_, list := o.flag.Value.(pflag.SliceValue)
			if list && o.flag.DefValue == "[]" {
				o.flag.DefValue = "" // nothing is shown for it in the help
			}
			o.flag.Value = &value{Value: o.flag.Value, option: o, list: list, again: &c.completing}
		}
		out = append(out, o)
	}
	return out
}

// has reports whether a field is one of the flags that every call has.
func (c *common) has(f settings.Field) bool {
	return slices.Contains([]any{&c.Seed, &c.Backend, &c.Format}, f.Pointer())
}

func annotate(f *pflag.Flag, key, text string) {
	if f.Annotations == nil {
		f.Annotations = map[string][]string{}
	}
	if text != "" {
		f.Annotations[key] = []string{text}
	}
}

// letters are short names of the flags that are used most.
var letters = map[string]string{"data": "d", "loss": "l", "run": "r", "out": "o", "slices": "L"}

// define makes the flag of the field's type.
func (o option) define(f *pflag.FlagSet, name, letter string) *pflag.Flag {
	help := cmp.Or(o.tag("help"), o.tag("usage"))
	if strings.Contains(help, "%s") {
		help = fmt.Sprintf(help, strings.Join(o.names().words(), ", "))
	}
	switch v := o.Pointer().(type) {
	case *int:
		f.IntVarP(v, name, letter, *v, help)
	case *uint64:
		f.Uint64VarP(v, name, letter, *v, help)
	case *float64:
		f.Float64VarP(v, name, letter, *v, help)
	case *bool:
		f.BoolVarP(v, name, letter, *v, help)
	case *string:
		f.StringVarP(v, name, letter, *v, help)
	case *[]string:
		if o.tag("unit") != "NAMES" {
			f.StringArrayVarP(v, name, letter, *v, help)
			break
		}
		f.StringSliceVarP(v, name, letter, *v, help)
	case *[]int:
		f.IntSliceVarP(v, name, letter, *v, help)
	case *[]float64:
		f.Float64SliceVarP(v, name, letter, *v, help)
	case encoding.TextUnmarshaler:
		f.TextVarP(v, name, letter, o.Value().(encoding.TextMarshaler), help)
	default:
		panic(fmt.Sprintf("--%s: no flag has the type %T", name, v))
	}
	return f.Lookup(name)
}

// names are the values that a flag takes.
type names struct {
	kind  string // what they name, such as a loss; "": a choice without a name
	words func() []string
}

// registered holds the names of flags that have no words of their own.
var registered = map[string]names{
	"loss":         {"loss", loss.Names},
	"slicing":      {"slicing distribution", slicing.Names},
	"distribution": {"slicing distribution", slicing.Names},
	"control":      {"control variate", loss.ControlNames},
	"amortizer":    {"amortizer", amortizer.Names},
	"preset":       {"preset", reproduce.PresetNames},
	"select":       {"", func() []string { return reproduce.Selections }},
	"distances":    {"", metric.Distances},
	"sinkhorn":     {"", func() []string { return latent.Sinkhorns }},
	"table format": {"", table.Formats},
	"reflection":   {"", words("released exact stable")},
	"variant":      {"", words("released paper")},
	"reduce":       {"", words("sum mean")},
	"ground":       {"", words("euclidean p")},
	"cost":         {"", ot1d.LineCosts},
	"vary":         {"", func() []string { return assignments(sweep.Names()) }},
	"table":        {"table", func() []string { return append(table.Names(), allTables) }},
	"data set":     {"data set", dataSets},
	"set":          {"", func() []string { return assignments(reproduce.SettingNames()) }},
}

func words(text string) func() []string { return func() []string { return strings.Fields(text) } }

func assignments(names []string) []string {
	var out []string
	for _, n := range names {
		out = append(out, n+"=")
	}
	return out
}

// names returns the values that the option takes; without words, any.
func (o option) names() names {
	text := o.tag("words")
	if n, ok := registered[text]; ok {
		return n
	}
	if text != "" {
		return names{"", words(text)}
	}
	return registered[strings.ReplaceAll(o.Name, "_", "-")]
}

// complete completes the flag's value in the shell. If nothing is known, the shell offers files.
func (c *common) complete(cmd *cobra.Command, o option) {
	switch unit := o.tag("unit"); {
	case o.flag == nil || strings.HasPrefix(unit, "FILE"):
		return
	case unit == "DIR":
		_ = cmd.MarkFlagDirname(o.flag.Name)
		return
	}
	_, list := o.Pointer().(*[]string)
	_ = cmd.RegisterFlagCompletionFunc(o.flag.Name, func(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		directive := cobra.ShellCompDirectiveNoFileComp
		known := o.names().words
		if known == nil {
			return nil, directive
		}
		before := ""
		if i := strings.LastIndex(begun, ","); list && i >= 0 {
			before, begun = begun[:i+1], begun[i+1:]
		}
		var out []string
		for _, w := range known() {
			if strings.HasPrefix(w, begun) {
				out = append(out, before+w)
			}
			if strings.HasSuffix(w, "=") {
				directive |= cobra.ShellCompDirectiveNoSpace
			}
		}
		return out, directive
	})
}

// value is the value of a flag. It may be given once, must be one of the words of its option, and a
// number in its range. Errors say what was expected.
type value struct {
	pflag.Value
	option option
	list   bool    // may be repeated, which adds to it
	again  *bool   // it may be repeated nevertheless
	given  *string // nil: not yet
}

// Type is what follows the flag in the help.
func (v *value) Type() string {
	unit := v.option.tag("unit")
	if unit == "" && v.option.names().words != nil {
		unit = "NAME"
	}
	return cmp.Or(unit, v.Value.Type())
}

func (v *value) Set(text string) error {
	if v.given != nil && !v.list && !*v.again {
		return fmt.Errorf("given twice, %q and %q", *v.given, text)
	}
	if text == "" { // most often an unset shell variable
		return errors.New(`expected a value, found ""`)
	}
	if err := v.option.names().check(text, v.list); err != nil {
		return err
	}
	if err := v.Value.Set(text); err != nil {
		return wrongValue(v.Value.Type(), text, err)
	}
	if r := v.option.Range(); !r.Holds(v.option.Field) {
		return fmt.Errorf("expected %s, found %s", r, text)
	}
	v.given = &text
	return nil
}

// check returns an error for a word that is not among the names.
func (n names) check(text string, list bool) error {
	if n.words == nil {
		return nil
	}
	known := n.words()
	switch {
	case strings.HasSuffix(known[0], "="): // the library checks what precedes =
		return nil
	case list:
		for _, word := range strings.Split(text, ",") {
			if !slices.Contains(known, word) {
				return fmt.Errorf("expected some of %s, found %q%s", strings.Join(known, ", "), word, suggest.Hint(word, known))
			}
		}
		return nil
	case slices.Contains(known, text):
		return nil
	case n.kind != "":
		return suggest.Unknown(n.kind, text, known)
	}
	return fmt.Errorf("expected %s, found %q%s", either(known), text, suggest.Hint(text, known))
}

// wrongValue is the error of a value that could not be parsed, without the names of Go's functions.
func wrongValue(kind, text string, err error) error {
	expected := map[string]string{
		"int": "a whole number", "uint64": "a whole number, 0 or more", "float64": "a number", "bool": "true or false",
		"float64Slice": "numbers separated by commas", "intSlice": "whole numbers separated by commas",
	}[kind]
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

// arguments gives the arguments of a call to its options, in order.
func arguments(cmd *cobra.Command, options []option, args []string) error {
	var places []option
	for _, o := range options {
		if o.tag("arg") != "" {
			places = append(places, o)
		}
	}
	for i, text := range args {
		if n := len(places); i >= n && (n == 0 || !strings.HasSuffix(places[n-1].tag("arg"), "...")) {
			return unexpected(cmd, text)
		}
		o := places[min(i, len(places)-1)]
		if o.flag != nil {
			if err := cmd.Flags().Set(o.flag.Name, text); err != nil {
				return flagError(cmd, err)
			}
			continue
		}
		if err := o.names().check(text, false); err != nil {
			return err
		}
		if err := o.Set(text); err != nil {
			return err
		}
	}
	return nil
}

// unexpected is the error of an argument too many.
func unexpected(cmd *cobra.Command, text string) error {
	hint := ""
	if text == "true" || text == "false" {
		hint = fmt.Sprintf("; a flag is switched by --FLAG=%s, in one word", text)
	}
	return fmt.Errorf("unexpected argument %q: expected `%s`%s", text, fullUse(cmd), hint)
}

func fullUse(cmd *cobra.Command) string {
	return strings.TrimSpace(cmd.Parent().CommandPath() + " " + cmd.Use)
}

// needed returns an error for an option that the call cannot do without.
func needed(cmd *cobra.Command, options []option) error {
	for _, o := range options {
		switch {
		case o.tag("need") == "":
		case o.flag == nil && reflect.ValueOf(o.Value()).IsZero():
			return fmt.Errorf("an argument is missing: expected `%s`", fullUse(cmd))
		case o.flag != nil && !o.flag.Changed:
			return fmt.Errorf("--%s is missing; see `%s --help`", o.flag.Name, cmd.CommandPath())
		}
	}
	return nil
}

// refused returns an error for a flag without effect.
func refused(flags *pflag.FlagSet, options []option, call runner) (refused error) {
	r, is := call.(refuser)
	flags.Visit(func(f *pflag.Flag) {
		if refused != nil {
			return
		}
		why := idle(f.Name, options)
		if why == "" && is {
			why, refused = r.unused(f.Name)
		}
		if refused == nil && why != "" {
			refused = fmt.Errorf("--%s would do nothing: %s", f.Name, why)
		}
	})
	return refused
}

// idle says why a flag has no effect in any call with those options: --key beside clouds that are no arrays by name, and
// what draws directions beside those that are given.
func idle(flag string, options []option) string {
	var clouds []string
	missing, ofRun := false, false
	for _, o := range options {
		switch paths := o.values(); {
		case o.tag("reads") == "run":
			ofRun = true
		case o.tag("reads") == "clouds":
			clouds, missing = append(clouds, paths...), missing || len(paths) == 0
		case o.Name == "directions" && len(paths) > 0 && (flag == "slices" || flag == "slicing"):
			return "the directions of --directions are used as given"
		}
	}
	if flag != "key" || missing && ofRun { // clouds that are not given may be a run's
		return ""
	}
	return keyUnused(clouds...)
}

// flagError rewords an error of flag parsing: what the flag is, what was expected, what was found.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	var syntax *pflag.InvalidSyntaxError
	switch {
	case errors.As(err, &unknown):
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, "--"+f.Name)
			}
		})
		name, dash := unknown.GetSpecifiedName(), "--"
		if unknown.GetSpecifiedShortnames() != "" {
			dash = "-"
		}
		hint := strings.ReplaceAll(suggest.Hint("--"+name, names), `"`, "")
		err = fmt.Errorf("unknown flag %s%s%s; `%s --help` lists them", dash, name, hint, cmd.CommandPath())
	case errors.As(err, &missing):
		err = fmt.Errorf("--%s: expected a value after it, found none", missing.GetSpecifiedName())
	case errors.As(err, &invalid):
		err = fmt.Errorf("--%s: %w", invalid.GetFlag().Name, invalid.Unwrap())
	case errors.As(err, &syntax):
		err = fmt.Errorf("expected a flag such as --seed, found %q", syntax.GetSpecifiedFlag())
	}
	return usageError(err)
}

// group makes a command that only holds others. Without arguments it prints its help; an unknown
// subcommand is an error.
func group(cmd *cobra.Command) *cobra.Command {
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return unknownCommand(cmd, args[0])
	}
	return cmd
}

// unknownCommand is the error for an unknown subcommand of cmd.
func unknownCommand(cmd *cobra.Command, word string) error {
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
	return usageError(fmt.Errorf("unknown command %q; `%s` lists them%s", word, help, suggest.Hint(word, names)))
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
		err = tooLong(name, s, what)
	}
	return why, err
}

// tooLong returns an error for chains longer than there are slices, or more sets than slices: they
// would be cut.
func tooLong(name string, s loss.Config, what string) error {
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

// keyUnused says why --key has no effect for clouds at those paths, "" if one of them uses it.
func keyUnused(paths ...string) string {
	for _, path := range paths {
		if datasets.ReadsKey(path) {
			return ""
		}
	}
	return fmt.Sprintf("only .npz and .h5 files hold arrays by name, found %s", strings.Join(paths, " and "))
}

// keyRefused returns an error for a --key that was given and has no effect for clouds at those paths.
func (c *common) keyRefused(paths ...string) error {
	if why := keyUnused(paths...); why != "" && c.given("key") {
		return usageError(fmt.Errorf("--key would do nothing: %s", why))
	}
	return nil
}

// partUnused returns an error if the flag chooses a part of clouds without parts.
func (c *common) partUnused(flag string, clouds *datasets.Set, split string) error {
	if clouds.Split != nil || split == "all" || !c.given(flag) {
		return nil
	}
	return usageError(fmt.Errorf("--%s would do nothing: %s has no parts, and all of its clouds are used", flag, clouds.Name))
}

// given reports whether the flag was given.
func (c *common) given(flag string) bool { return c.call != nil && c.call.Flags().Changed(flag) }
