package datasets

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sliced-wasserstein/lab/datasets/format"
)

// Reads reports whether [Load] of the file or folder in reads the file at path, or would read it if
// it were written there. It knows the kinds of folders: writing codes.npy into a folder with
// points.npy changes nothing, writing it among files of clouds adds a cloud. Both paths must be
// absolute and without symbolic links.
func Reads(in, path string) bool {
	rel, err := filepath.Rel(in, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return false
	}
	if info, err := os.Stat(in); err != nil || !info.IsDir() {
		return rel == "."
	}
	parts := strings.Split(rel, string(filepath.Separator))
	name := parts[len(parts)-1]
	extension := strings.ToLower(filepath.Ext(name))
	if name == "points.npy" && len(parts) == 1 {
		return true // would change the kind of the folder
	}
	if _, err := os.Stat(filepath.Join(in, "points.npy")); err == nil {
		return len(parts) == 1 && slices.Contains([]string{"labels.npy", "split.npy", "classes.txt"}, name)
	}
	if isModelNet(in) {
		return len(parts) == 1 && (extension == ".h5" || extension == ".txt")
	}
	hidden := func(part string) bool { return strings.HasPrefix(part, ".") || part == "__MACOSX" }
	return !slices.ContainsFunc(parts, hidden) && slices.Contains(format.FolderTypes(), extension)
}
