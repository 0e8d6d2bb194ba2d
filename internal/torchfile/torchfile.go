// Package torchfile reads the values that PyTorch's torch.save wrote, without running any of the
// file's code. It understands tensors, dicts, lists and numbers. A file that asks for anything else
// is an error.
//
// In the zip format the checksum of everything used is verified. The older format has none. Memory
// is bounded by a small multiple of the file's size: a file may not hold more tensor elements than
// bytes.
package torchfile

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"strings"
	"sync"

	"github.com/nlpodyssey/gopickle/types"
	"github.com/sliced-wasserstein/lab/internal/memory"
	"github.com/sliced-wasserstein/lab/internal/numbers"
)

// File is an unpickled file.
type File struct {
	Root   any // a *Tensor, a dict or list of values, a number, a string, a bool, or nil
	size   int // bytes; bounds the elements of a storage
	budget int // elements left for all tensors together
}

// Open reads the file at path. hint is the call that writes what the caller expects, for errors
// about a file with other content.
func Open(path, hint string) (*File, error) {
	info, err := os.Stat(path)
	if err == nil {
		err = memory.Check(path, info.Size())
	}
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f, err := Parse(data, hint)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// Parse is Open for the content of a file.
func Parse(data []byte, hint string) (file *File, err error) {
	defer func() {
		if p := recover(); p != nil { // by the unpickler, on a damaged file
			file, err = nil, fmt.Errorf("damaged pickle: %v", p)
		}
	}()
	read := readLegacy
	if bytes.HasPrefix(data, []byte("PK\x03\x04")) {
		read = readArchive
	}
	root, err := read(data, hint)
	if err != nil {
		return nil, err
	}
	return &File{Root: root, size: len(data), budget: len(data)}, nil
}

// storage is a flat array of one type that tensors are views of.
type storage struct {
	kind
	count int
	data  func() ([]byte, error) // its count*Size bytes
}

// kind is the element type of a storage.
type kind struct {
	dtype string // as safetensors calls it
	numbers.Type
}

// readArchive reads the object of a zip file: <name>/data.pkl, with the storages in
// <name>/data/<key>.
func readArchive(data []byte, hint string) (any, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("not a PyTorch file: %w", err)
	}
	records := map[string]*zip.File{}
	folder := ""
	for _, f := range z.File {
		if records[f.Name] != nil {
			return nil, fmt.Errorf("the record %q occurs twice in the zip file", f.Name)
		}
		records[f.Name] = f
		if strings.HasSuffix(f.Name, "/data.pkl") && strings.Count(f.Name, "/") == 1 {
			folder = strings.TrimSuffix(f.Name, "data.pkl")
		}
	}
	if records[folder+"constants.pkl"] != nil {
		return nil, errors.New("a TorchScript program; write the file with " + hint)
	}
	record := func(name string) ([]byte, error) {
		f := records[folder+name]
		if f == nil {
			return nil, fmt.Errorf("no record %q in the zip file: not written by torch.save, or damaged", name)
		}
		if f.Method != zip.Store {
			return nil, fmt.Errorf("record %q is compressed, expected a file as torch.save writes it", name)
		}
		at, err := f.DataOffset()
		if err != nil {
			return nil, err
		}
		if n := f.UncompressedSize64; n <= uint64(len(data))-min(uint64(at), uint64(len(data))) {
			if b := data[at:][:n]; crc32.ChecksumIEEE(b) == f.CRC32 {
				return b, nil
			}
		}
		return nil, fmt.Errorf("record %q is damaged: its checksum or length is wrong", name)
	}
	if records[folder+"byteorder"] != nil {
		if b, err := record("byteorder"); err != nil || string(b) != "little" {
			return nil, fmt.Errorf("byte order %q, expected \"little\" (%v)", b, err)
		}
	}
	raw, err := record("data.pkl")
	if err != nil {
		return nil, err
	}
	known := storages{}
	root, _, err := unpickle(raw, hint, known)
	for key, s := range known {
		s.data = sync.OnceValues(func() ([]byte, error) {
			b, err := record("data/" + key)
			if err == nil && len(b) != s.count*s.Size {
				err = fmt.Errorf("record %q has %d bytes, expected %d values of type %s", "data/"+key, len(b), s.count, s.dtype)
			}
			return b, err
		})
	}
	return root, err
}

// legacyHead begins PyTorch's older format: a magic number and a version, as two pickles.
const legacyHead = "\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19." + "\x80\x02M\xe9\x03."

// readLegacy reads the older format: its head, pickled facts about the machine, the pickled
// object, the pickled list of storage keys, and for each key the number of elements (int64) and the
// elements.
func readLegacy(data []byte, hint string) (any, error) {
	data, ok := bytes.CutPrefix(data, []byte(legacyHead))
	if !ok {
		return nil, errors.New("not a PyTorch file: neither a zip file nor the older format of torch.save")
	}
	known := storages{}
	var pickles [3]any // the facts, the object, the keys
	for i := range pickles {
		n := 0
		var err error
		if pickles[i], n, err = unpickle(data, hint, known); err != nil {
			return nil, err
		}
		data = data[n:]
	}
	if d, ok := pickles[0].(*types.Dict); ok {
		if little, ok := d.Get("little_endian"); ok && little != true {
			return nil, errors.New("big-endian numbers, expected little-endian ones")
		}
	}
	list, ok := pickles[2].(*types.List)
	if !ok {
		return nil, fmt.Errorf("damaged: expected a list of storage keys, found %s", Describe(pickles[2]))
	}
	for i := range list.Len() {
		key, _ := list.Get(i).(string)
		s := known[key]
		if s == nil || len(data) < 8 || binary.LittleEndian.Uint64(data) != uint64(s.count) || s.count > (len(data)-8)/s.Size {
			return nil, fmt.Errorf("damaged: storage %q is missing, cut off or of another length than announced", key)
		}
		raw := data[8 : 8+s.count*s.Size]
		s.data = func() ([]byte, error) { return raw, nil }
		data = data[8+len(raw):]
	}
	for key, s := range known {
		if s.data == nil {
			return nil, fmt.Errorf("damaged: storage %q is missing", key)
		}
	}
	return pickles[1], nil
}
