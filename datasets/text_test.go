package datasets

import (
	"slices"
	"testing"
)

// TestNames: lists of names and classes are text as well.
func TestNames(t *testing.T) {
	want := []string{"cup", "big bowl"}
	for _, text := range []string{"cup\nbig bowl\n", "\ufeffcup\r\nbig bowl", "cup \rbig bowl\r\r\n"} {
		if names, err := readClasses(write(t, "names.txt", []byte(text))); err != nil || !slices.Equal(names, want) {
			t.Errorf("%q: %q, %v", text, names, err)
		}
	}
	for text, want := range map[string]string{"cup\r\rbowl": "names.txt:2", "": "names.txt:1", "c\x00u\x00p\x00": "UTF-16", "\xfe\xff\x00c": "UTF-16"} {
		wantError(t, failure(readClasses(write(t, "names.txt", []byte(text)))), want)
	}
}
