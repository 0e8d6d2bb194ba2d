package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/vmfviz"
)

const (
	mostThumbnails  = 96 // on a sheet
	someThumbnails  = 24 // of a set without classes
	thumbnailPoints = 1024
)

// checkPicture checks the name of a picture to write; none is fine.
func checkPicture(flag, path string) error {
	switch ext := strings.ToLower(filepath.Ext(path)); {
	case path == "", ext == ".png", ext == ".svg":
		return nil
	}
	return fmt.Errorf("%s: expected a name that ends in .png or .svg, found %q", flag, path)
}

// saveThumbnails draws the first cloud of every class, or clouds spread over a set without classes, each scaled to fill
// its place.
func saveThumbnails(set *datasets.Set, path string) error {
	if set.D != 3 {
		return wrongCall(fmt.Errorf("--thumbnails: expected clouds of dimension 3, found %d", set.D))
	}
	rows, captions := thumbnails(set)
	some := set.Select(rows)
	some, err := some.Subset(min(some.M, thumbnailPoints), 1)
	if err != nil {
		return err
	}
	clouds := make([][]float32, some.N)
	for i := range clouds {
		one := some.Select([]int{i})
		if err := one.Normalize(); err != nil {
			return wrongCall(fmt.Errorf("--thumbnails: %s: cloud %d cannot be drawn: %w", set.Name, rows[i], err))
		}
		clouds[i] = one.Points
	}
	picture, err := vmfviz.Gallery(vmfviz.GalleryOptions{Captions: captions}, clouds...)
	if err != nil {
		return err
	}
	return picture.Save(path)
}

// thumbnails chooses rows and their captions.
func thumbnails(set *datasets.Set) (rows []int, captions []string) {
	first := map[int32]int{}
	for row, l := range set.Labels {
		if _, seen := first[l]; !seen {
			first[l] = row
			rows = append(rows, row)
		}
	}
	most := mostThumbnails
	if len(rows) < 2 {
		rows, most = nil, someThumbnails
		for row := range set.N {
			rows = append(rows, row)
		}
	}
	rows = spread(rows, most)
	for _, row := range rows {
		caption := fmt.Sprintf("cloud %d", row)
		if len(first) > 1 {
			caption = className(set, int(set.Labels[row]))
		}
		captions = append(captions, caption)
	}
	return rows, captions
}

// spread keeps at most n rows, evenly spaced.
func spread(rows []int, n int) []int {
	if len(rows) <= n {
		return rows
	}
	out := make([]int, n)
	for i := range out {
		out[i] = rows[i*len(rows)/n]
	}
	return out
}
