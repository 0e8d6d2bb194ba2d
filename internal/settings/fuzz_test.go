package settings

import "testing"

// FuzzSettings: a setting that is taken reads back as it is written; one that is not changes nothing.
func FuzzSettings(f *testing.F) {
	for _, s := range [][2]string{{"rate", "1e-4"}, {"count", "7"}, {"kind", "none"}, {"on", "true"}, {"rate", "NaN"}, {"count", "0"}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		v := outer{inner: inner{Rate: 2, Kind: "a"}, Count: 3}
		before, fields := v, Of(&v, "help")
		if err := fields.Apply(map[string]any{name: text}); err != nil {
			if v != before {
				t.Errorf("%s = %q: %v, and yet %+v", name, text, err, v)
			}
			return
		}
		field, err := fields.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		after := v
		if err := field.Set(field.Text()); err != nil || v != after {
			t.Errorf("%s = %q is written %q and read as %+v, want %+v, %v", name, text, field.Text(), v, after, err)
		}
	})
}
