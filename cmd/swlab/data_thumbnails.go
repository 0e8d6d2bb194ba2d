package main

import (
	"fmt"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/vmfviz"
)

const (
	mostThumbnails  = 96 // per sheet
	someThumbnails  = 24 // for a set without classes
	thumbnailPoints = 1024
)

// drawThumbnails draws the first cloud of every class, or clouds spread over a set without classes,
// each scaled to fill its cell.
func drawThumbnails(set *datasets.Set) (*vmfviz.Picture, error) {
	if set.Dim != 3 {
		return nil, usageError(fmt.Errorf("--thumbnails: expected clouds of dimension 3, found %d", set.Dim))
	}
	rows, captions := thumbnails(set)
	some := set.Select(rows)
	some, err := some.Subset(min(some.Points, thumbnailPoints), 1)
	if err != nil {
		return nil, err
	}
	clouds := make([][]float32, some.Clouds)
	for i := range clouds {
		one := some.Select([]int{i})
		if err := one.Normalize(); err != nil {
			return nil, usageError(fmt.Errorf("--thumbnails: %s: cloud %d cannot be drawn: %w", set.Name, rows[i], err))
		}
		clouds[i] = one.Coords
	}
	return vmfviz.Gallery(vmfviz.GalleryOptions{Captions: captions}, clouds...)
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
		for row := range set.Clouds {
			rows = append(rows, row)
		}
	}
	rows = spread(rows, most)
	for _, row := range rows {
		caption := fmt.Sprintf("cloud %d", row)
		if len(first) > 1 {
			caption = className(set.Classes, int(set.Labels[row]))
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
