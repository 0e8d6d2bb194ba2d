package datasets

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/janpfeifer/must"
)

// npyBytes builds a .npy file by hand.
func npyBytes(version byte, header string, body []byte) []byte {
	out := append([]byte("\x93NUMPY"), version, 0)
	if version == 1 {
		out = binary.LittleEndian.AppendUint16(out, uint16(len(header)))
	} else {
		out = binary.LittleEndian.AppendUint32(out, uint32(len(header)))
	}
	return append(append(out, header...), body...)
}

func npyHeaderFor(descr string, fortran string, shape string) string {
	return fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", descr, fortran, shape)
}

func write(t *testing.T, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must.M(os.WriteFile(path, data, 0o600))
	return path
}

// zipBytes builds a compressed archive.
func zipBytes(t testing.TB, entries map[string][]byte) []byte {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for name, data := range entries {
		must.M1(must.M1(z.Create(name)).Write(data))
	}
	must.M(z.Close())
	return out.Bytes()
}

func floatNPY(shape string, values ...float32) []byte {
	var body []byte
	for _, v := range values {
		body = binary.LittleEndian.AppendUint32(body, math.Float32bits(v))
	}
	return npyBytes(1, npyHeaderFor("<f4", "False", shape), body)
}

const (
	squareOFF = "OFF\n4 1 0\n0 0 0\n2 0 0\n2 2 0\n0 2 0\n4 0 1 2 3\n"
	squarePLY = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nend_header\n0 0 0\n2 0 0\n2 2 0\n0 2 0\n"
)
