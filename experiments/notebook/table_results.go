package notebook

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/sliced-wasserstein/lab/experiments/reproduce"
	"github.com/sliced-wasserstein/lab/experiments/table"
	"github.com/sliced-wasserstein/lab/vmfviz/show"
)

// Results shows the stored result (see Stored) of the paper's table of that name: the picture, and
// folded away the verdict, what it does not show, every comparison, and the table beside the paper's
// numbers. The table leaves out the columns of the last epoch, which the page has. Without a stored
// result it says so and shows the paper's table as printed. A view of some rows narrows the picture;
// any other is a picture alone.
//
//	show.Check(book.Results("ablation_kappa", reproduce.View{}))
func (b *Session) Results(name string, v reproduce.View) error {
	f, err := Stored(name)
	if errors.Is(err, fs.ErrNotExist) {
		t, err := table.Get(name)
		if err != nil {
			return err
		}
		show.Markdown(fmt.Sprintf("**No results of ours at a size that means anything**: `docs/results` has no `%s-desk.json`. "+
			"What follows is the paper's table as printed, with nothing beside it. The last cell below with `preset := \"desk\"` makes one.", name))
		return showTable(table.Results{Table: t})
	}
	if err != nil {
		return err
	}
	if v != (reproduce.View{Rows: v.Rows}) {
		title := f.Table.Title
		if v.Repeats > 0 {
			title += fmt.Sprintf(", %d seeds", v.Repeats)
		}
		p, err := reproduce.Picture(f, title, v)
		if p != nil {
			p.Caption = reproduce.HowToRead(f.Table, v)
			show.Picture(p)
		}
		return err
	}
	root, err := repository()
	if err != nil {
		return err
	}
	page := filepath.Join(root, "docs", "results", name+".md")
	words, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	shown, err := reproduce.PagePictures(page, v)
	if err != nil {
		return err
	}
	if len(shown) > 0 {
		shown[0].Picture.Caption = reproduce.HowToRead(f.Table, v)
		b.Picture(name, shown[0].Picture, nil)
	}
	said := prose(string(words))
	if show.InNotebook() {
		said = "<details>\n<summary>The verdict, what it does not show, and every comparison</summary>\n\n" + said + "\n\n</details>"
	}
	show.Markdown(said)
	f.Table.Columns = slices.DeleteFunc(f.Table.Columns, func(c table.Column) bool { return strings.HasSuffix(c.Key, "_last") })
	if show.InNotebook() {
		var html strings.Builder
		if err := table.Write(&html, f, "html"); err != nil {
			return err
		}
		show.HTML("<details><summary>The table, with the paper's numbers below ours</summary>\n" + html.String() + "</details>\n")
		return nil
	}
	return showTable(f)
}

// Stored reads the stored result (docs/results) of the paper's table of that name at the preset
// desk. Without one the error is fs.ErrNotExist.
func Stored(name string) (table.Results, error) {
	root, err := repository()
	if err != nil {
		return table.Results{}, err
	}
	return table.ReadFile(filepath.Join(root, "docs", "results", name+"-desk.json"))
}

var (
	heading = regexp.MustCompile(`(?m)^# .*\n`)
	picture = regexp.MustCompile(`(?m)^!\[.*\n`)
	comment = regexp.MustCompile(`(?s)<!--.*?-->`)
	link    = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

// prose returns the page of a result without its title, pictures, table, comments and links, which
// are relative to another folder.
func prose(page string) string {
	words, _, _ := strings.Cut(page, "<details>\n<summary>The table</summary>")
	words = comment.ReplaceAllString(words, "")
	words = picture.ReplaceAllString(heading.ReplaceAllString(words, ""), "")
	return strings.TrimSpace(link.ReplaceAllString(words, "$1"))
}

// tablePicture shows the picture of a filled table, if it has one, and saves it under the table's name.
func (b *Session) tablePicture(f table.Results) {
	if p, err := reproduce.Picture(f, "", reproduce.View{}); p != nil || err != nil {
		b.Picture(f.Table.Name, p, err)
	}
}
