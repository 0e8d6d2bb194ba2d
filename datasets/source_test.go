package datasets

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"
)

func TestSetDigest(t *testing.T) {
	s := randomSet(3, 2000, 3, 1) // more than one step
	h := sha256.New()
	if err := binary.Write(h, binary.LittleEndian, s.Coords); err != nil {
		t.Fatal(err)
	}
	if got, _ := s.Digest(); got != hex.EncodeToString(h.Sum(nil)) {
		t.Errorf("digest %s", got)
	}
}

func TestSetRead(t *testing.T) {
	s := randomSet(5, 4, 3, 1)
	dst := make([]float32, 24)
	if err := s.Read(dst, []int32{3, 0}); err != nil || !slices.Equal(dst, append(slices.Clone(s.Cloud(3)), s.Cloud(0)...)) {
		t.Errorf("%v, %v", dst, err)
	}
	wantError(t, s.Read(dst, []int32{5, 0}), "random", "from 0 to 4, found 5")
	wantError(t, s.Read(dst[1:], []int32{1, 0}), "random", "24 coordinates, found room for 23")
}

// failing returns an error at one cloud.
type failing struct {
	*Set
	at int32
}

var errFailing = errors.New("unreadable")

func (f failing) Read(dst []float32, rows []int32) error {
	if slices.Contains(rows, f.at) {
		return errFailing
	}
	return f.Set.Read(dst, rows)
}

// TestAhead: batches arrive in order, an error comes after those before it, and a loop that is left
// early leaves nothing running.
func TestAhead(t *testing.T) {
	s := randomSet(10, 4, 3, 1)
	batches := Batches(EpochOrder(10, 1, 0), 3)
	i := 0
	for clouds, err := range Ahead(s, slices.Values(batches)) {
		want := make([]float32, len(batches[i])*12)
		if err := s.Read(want, batches[i]); err != nil {
			t.Fatal(err)
		}
		if err != nil || !slices.Equal(clouds, want) {
			t.Fatalf("batch %d: %v", i, err)
		}
		i++
	}
	if i != 4 {
		t.Errorf("%d batches, expected 4", i)
	}
	i = 0
	for _, err := range Ahead(failing{s, batches[2][1]}, slices.Values(batches)) {
		if want := map[bool]error{true: errFailing}[i == 2]; err != want {
			t.Errorf("batch %d: %v, expected %v", i, err, want)
		}
		i++
	}
	if i != 3 {
		t.Errorf("%d batches up to the error, expected 3", i)
	}
	before := runtime.NumGoroutine()
	for range 50 {
		for range Ahead(s, slices.Values(batches)) {
			break
		}
	}
	for range 100 { // a goroutine that has closed its channel may still be counted
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

// TestInOrder: a pass over all clouds meets each once, in stored order.
func TestInOrder(t *testing.T) {
	next := int32(0)
	for rows := range (Header{Clouds: 1000, Points: 2048, Dim: 3}).InOrder() {
		if len(rows) > 200 {
			t.Fatalf("%d clouds at once", len(rows))
		}
		for _, r := range rows {
			if r != next {
				t.Fatalf("cloud %d, expected %d", r, next)
			}
			next++
		}
	}
	if next != 1000 {
		t.Errorf("%d clouds of 1000", next)
	}
}

// TestHoldOut: a share of the train part becomes the val part, the same of a set and of a stream of
// it. Nothing changes without parts or without a share, and the set itself never does.
func TestHoldOut(t *testing.T) {
	set := randomSet(40, 3, 3, 1)
	dir := t.TempDir()
	split := make([]int32, 40)
	for i := range split {
		split[i] = int32(i % 4 / 3) // every fourth is of the test part
	}
	for _, err := range []error{WriteNPY(filepath.Join(dir, "points.npy"), set.Coords, 40, 3, 3), WriteNPYInts(filepath.Join(dir, "split.npy"), split, 40)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	var splits [][]uint8
	for _, memory := range []int64{0, -1} {
		whole, err := Open(dir, OpenOptions{Memory: memory})
		if err != nil {
			t.Fatal(err)
		}
		held, err := HoldOut(whole, 0.1, 1)
		if err != nil {
			t.Fatal(err)
		}
		if same, err := HoldOut(whole, 0, 1); err != nil || same != whole {
			t.Errorf("%T without a share: %v, %v", whole, same, err)
		}
		for name, want := range map[string]int{"train": 27, "val": 3, "test": 10} {
			part, err := PartOf(held, name)
			if err != nil || part.Header().Clouds != want {
				t.Errorf("%T: %s has %d clouds, expected %d: %v", whole, name, HeaderOf(part).Clouds, want, err)
			}
		}
		if slices.Contains(whole.Header().Split, ValPart) {
			t.Errorf("%T has changed", whole)
		}
		splits = append(splits, held.Header().Split)
		if s, ok := whole.(*Stream); ok {
			defer s.Close()
		}
	}
	if !slices.Equal(splits[0], splits[1]) {
		t.Errorf("a set holds out %v, a stream %v", splits[0], splits[1])
	}
	if same, err := HoldOut(set, 0, 1); err != nil || same != Clouds(set) {
		t.Errorf("nothing to hold out: %v", err)
	}
	drawn := *set
	drawn.SplitDraw = &Draw{}
	all, err := HoldOut(&drawn, 0.1, 1)
	if err != nil {
		t.Fatal(err)
	}
	if all.(*Set).SplitDraw != nil {
		t.Error("the parts held out are said to be drawn as before")
	}
	if val, err := PartOf(all, "val"); err != nil || HeaderOf(val).Clouds != set.Clouds/10 {
		t.Errorf("a set without parts, of %d clouds: %v", set.Clouds, err)
	}
	if _, err := HoldOut(&Set{Name: "a", Clouds: 1, Split: []uint8{TestPart}}, 0.1, 1); err == nil {
		t.Error("held out of an empty train part")
	}
}
