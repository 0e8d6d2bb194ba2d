package format

import "testing"

func FuzzTable(f *testing.F) {
	for _, text := range []string{"1,2,3\n4,5,6\n", "\ufeffx;y;z\n1;2;3\n", ",0,1,2\n0,1,2,3\n", "# c\n1 2\n3 4\n", "\"x\"\n1\n"} {
		f.Add("a.csv", text)
		f.Add("a.txt", text)
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		data, dim, err := parseTable(name, []byte(text))
		if err == nil && (dim < 1 || len(data) == 0 || len(data)%dim != 0 || !finite(data)) {
			t.Errorf("%d values in dimension %d", len(data), dim)
		}
	})
}
