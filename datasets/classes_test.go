package datasets

import (
	"fmt"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
)

func labelled() *Set {
	s := randomSet(5, 4, 3, 1)
	s.Labels, s.Classes, s.Split, s.DegenerateFaces = []int32{2, 0, 2, 1, 0}, []string{"cup", "7", "jar", "vase"}, []uint8{0, 1, 2, 0, 1}, []int32{5, 6, 7, 8, 9}
	return s
}

func TestOfClasses(t *testing.T) {
	s := labelled()
	for _, c := range []struct {
		classes []string
		rows    []int
	}{
		{[]string{"cup"}, []int{1, 4}},
		{[]string{"2", "cup"}, []int{0, 1, 2, 4}},
		{[]string{"7"}, []int{3}}, // the name takes precedence over the number
		{[]string{"jar", "jar", "2"}, []int{0, 2}},
	} {
		got := must.M1(s.OfClasses(c.classes...))
		if want := s.Select(c.rows); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q: found %v, expected %v", c.classes, got, want)
		}
	}
	all, err := s.OfClasses("cup", "7", "jar")
	if err != nil || all != s {
		t.Errorf("all classes must give the set itself: %v", err)
	}
	for _, c := range []struct {
		class string
		want  []string
	}{{"mug", []string{`"mug"`, "cup, 7, jar, vase"}}, {"4", []string{`"4"`, "0 to 3"}}, {"-1", []string{`"-1"`}}, {"vase", []string{`"vase" has no clouds`, "cup, 7, jar"}}, {"", []string{`""`}}} {
		wantError(t, failure(s.OfClasses("cup", c.class)), append(c.want, "random")...)
	}
	s.Classes = nil
	wantError(t, failure(s.OfClasses("cup")), "label number")
	wantError(t, failure(s.OfClasses("5")), `"5" has no clouds`, "there are 0, 1, 2")
	s.Labels = nil
	wantError(t, failure(s.OfClasses("0")), "random", "no labels")
}

// TestKept: what is known of each cloud is kept.
func TestKept(t *testing.T) {
	s := labelled()
	sub := must.M1(s.Subset(2, 1))
	if !slices.Equal(sub.Labels, s.Labels) || !slices.Equal(sub.Classes, s.Classes) || !slices.Equal(sub.Split, s.Split) || !slices.Equal(sub.DegenerateFaces, s.DegenerateFaces) {
		t.Errorf("Subset: %+v", sub)
	}
	part, err := s.Part("test")
	if err != nil || !slices.Equal(part.Labels, []int32{0, 0}) || len(part.Classes) != 4 || !slices.Equal(part.DegenerateFaces, []int32{6, 9}) {
		t.Errorf("Part: %+v, %v", part, err)
	}
	row := s.Select([]int{3, 3})
	if !slices.Equal(row.Labels, []int32{1, 1}) || !slices.Equal(row.Split, []uint8{0, 0}) || !slices.Equal(row.DegenerateFaces, []int32{8, 8}) {
		t.Errorf("Select: %+v", row)
	}
}

func TestLoadOfClasses(t *testing.T) {
	square, bad := []byte(squareOFF), []byte("no mesh")
	dir := tree(t, map[string][]byte{"chair/train/a.off": square, "chair/test/b.off": square, "table/train/c.off": square, "bed/train/d.off": bad})
	all := []string{"bed", "chair", "table"}
	for _, classes := range [][]string{{"chair"}, {"1"}} {
		// Files of other classes are not read.
		s := load(t, dir, Options{Points: 10, Classes: classes})
		if !slices.Equal(s.Classes, all) || !slices.Equal(s.Labels, []int32{1, 1}) || !slices.Equal(s.Split, []uint8{1, 0}) {
			t.Errorf("%q: %v %v %v", classes, s.Classes, s.Labels, s.Split)
		}
	}
	wantError(t, failure(Load(dir, Options{Classes: []string{"sofa"}})), dir, `"sofa"`, "bed, chair, table")
	_, err := Load(tree(t, map[string][]byte{"a.off": square}), Options{Classes: []string{"0"}})
	wantError(t, err, "no labels")

	s := load(t, Builtin, Options{Classes: []string{"mug", "chair"}, Val: 0.25, Test: 0.25, Seed: 5})
	if s.Clouds != 80 || partSizes(s) != [3]int{40, 20, 20} || *s.SplitDraw != (Draw{0.25, 0.25, 5}) {
		t.Errorf("%d clouds, parts %v, drawn %v", s.Clouds, partSizes(s), s.SplitDraw)
	}
}
