package notebook

import (
	"path/filepath"

	"github.com/sliced-wasserstein/lab/vmfviz"
	"github.com/sliced-wasserstein/lab/vmfviz/show"
)

// Figure is Picture for what goes into a paper: beside the PNG it saves pictures/NAME.pdf and pictures/NAME.svg.
func (b *Book) Figure(name string, p *vmfviz.Picture, err error) {
	b.Picture(name, p, err)
	for _, ending := range []string{".pdf", ".svg"} {
		show.Check(p.Save(filepath.Join(b.Out, "pictures", name+ending)))
	}
}
