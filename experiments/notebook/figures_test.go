package notebook

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/plot/cmpimg"

	"github.com/sliced-wasserstein/lab/experiments/reproduce"
)

// committed returns the files of stored results, of all sizes, whose names end like that.
func committed(t *testing.T, ending string) (files []string) {
	t.Helper()
	for _, size := range []string{"desk", "quick", "real"} {
		files = append(files, must.M1(filepath.Glob("../../docs/results/*-"+size+ending))...)
	}
	if len(files) == 0 {
		t.Fatalf("no stored results *%s", ending)
	}
	return files
}

// TestCommittedPictures: the committed pictures equal those drawn now, and all are in a page.
func TestCommittedPictures(t *testing.T) {
	pages := must.M1(filepath.Glob("../../docs/results/*.md"))
	seen := 0
	for _, page := range pages {
		for _, p := range must.M1(reproduce.PagePictures(page, reproduce.View{})) {
			want, err := os.ReadFile(filepath.Join(filepath.Dir(page), p.File))
			got, drawErr := p.Picture.PNG()
			if err != nil || drawErr != nil {
				t.Fatal(err, drawErr)
			}
			if same, err := cmpimg.EqualApprox("png", got, want, 0.15); err != nil || !same {
				t.Errorf("%s: the picture is another one (%v): run make docs-pictures", p.File, err)
			}
			seen++
		}
	}
	if pictures := committed(t, ".png"); len(pictures) != seen {
		t.Errorf("%d pictures compared, %d committed", seen, len(pictures))
	}
}
