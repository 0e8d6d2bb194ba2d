package durable

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

// FuzzJSON: a file is read as sealed only with the checksum of its content; what was read is written
// as a file that reads the same, and whose content cannot be changed unnoticed.
func FuzzJSON(f *testing.F) {
	path := filepath.Join(f.TempDir(), "f.json")
	must.M(WriteJSON(path, map[string]any{"n": 1.5, "list": []string{"a"}}))
	f.Add(must.M1(os.ReadFile(path)), uint16(7), byte(1))
	f.Add([]byte("{}"), uint16(0), byte(2))
	f.Add([]byte(`{"sha256":"","a":[1,{}]}`), uint16(3), byte(4))
	f.Add([]byte("[1]"), uint16(1), byte(128))
	f.Fuzz(func(t *testing.T, raw []byte, at uint16, flip byte) {
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		var v map[string]any
		if _, err := ReadJSON(path, &v); err != nil || len(v) == 0 {
			return
		}
		for name := range v {
			if len(name) == len("sha256") {
				return // a changed name of the checksum could be this one
			}
		}
		if err := WriteJSON(path, v); err != nil {
			t.Fatal(err)
		}
		var again map[string]any
		if sealed, err := ReadJSON(path, &again); err != nil || !sealed || !reflect.DeepEqual(again, v) {
			t.Fatalf("%q is read as %v, written and read as %v, sealed %t, %v", raw, v, again, sealed, err)
		}
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		changed := bytes.Clone(whole)
		changed[int(at)%len(changed)] ^= flip
		if err := os.WriteFile(path, changed, 0o600); err != nil {
			t.Fatal(err)
		}
		var damaged map[string]any
		sealed, err := ReadJSON(path, &damaged)
		if err == nil && sealed && !bytes.Equal(changed, whole) {
			t.Errorf("%q was changed to %q, which is read as sealed", whole, changed)
		}
		// The checksum is then a member of its own, or its name is another.
		if err == nil && !sealed {
			rest, _ := json.Marshal(v)
			for name := range damaged {
				if _, of := v[name]; !of {
					delete(damaged, name)
				}
			}
			if left, _ := json.Marshal(damaged); !bytes.Equal(left, rest) {
				t.Errorf("%q was changed to %q, which is read as %s", whole, changed, left)
			}
		}
	})
}

func TestKeysOnce(t *testing.T) {
	for text, want := range map[string]string{
		`{"a": [1, {"b": 2}, {"b": 3}], "c": {"a": null}}`: "",
		`[]`: "", `"a"`: "", `1`: "",
		`{"a": 1, "a": 1}`:             `the key "a" occurs twice`,
		`[[{"c": {"b": 1, "b": {}}}]]`: `the key "b" occurs twice`,
		`{"a": 1, "\u0061": 1}`:        `the key "a" occurs twice`,
	} {
		path := filepath.Join(t.TempDir(), "f.json")
		must.M(os.WriteFile(path, []byte(text), 0o600))
		var v any
		_, err := ReadJSON(path, &v)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), "f.json: "+want) {
			t.Errorf("%s: expected %q, found %v", text, want, err)
		}
	}
}
