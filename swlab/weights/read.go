package weights

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Read reads the named tensors of a file by extension: .safetensors (ReadSafetensors), .pth or .pt
// (ReadTorch).
func Read(path string) (*Set, error) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".safetensors":
		return ReadSafetensors(path)
	case ".pth", ".pt":
		return ReadTorch(path)
	}
	return nil, fmt.Errorf("%s: expected weights in a .safetensors, .pth or .pt file", path)
}
