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
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/nlpodyssey/gopickle/types"
)

// File is an unpickled file.
type File struct {
	Root   any   // a *Tensor, a dict or list of values, a number, a string, a bool, or nil
	size   int64 // bytes; bounds the elements of a storage
	budget int64 // elements left for all tensors together
	file   *os.File
}

// Open reads the file at path. hint is the call that writes what the caller expects, for errors
// about a file with other content. Tensors are read on demand, so the file stays open until Close.
func Open(path, hint string) (file *File, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if file, err = Parse(f, info.Size(), hint); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	file.file = f
	return file, nil
}

// Close closes what Open opened.
func (f *File) Close() error {
	if f.file == nil {
		return nil
	}
	return f.file.Close()
}

// Parse is Open for a file of that many bytes in r.
func Parse(r io.ReaderAt, size int64, hint string) (file *File, err error) {
	defer func() {
		if p := recover(); p != nil { // by the unpickler, on a damaged file
			file, err = nil, fmt.Errorf("damaged pickle: %v", p)
		}
	}()
	var magic [4]byte
	if _, err := r.ReadAt(magic[:], 0); err != nil {
		return nil, fmt.Errorf("not a PyTorch file: %d bytes", size)
	}
	read := readLegacy
	if string(magic[:]) == "PK\x03\x04" {
		read = openArchive
	}
	root, err := read(r, size, hint)
	if err != nil {
		return nil, err
	}
	return &File{Root: root, size: size, budget: size}, nil
}

// storage is a flat array of one type that tensors are views of.
type storage struct {
	kind
	count   int
	read    func() ([]byte, error) // its count*width bytes
	decoded any                    // []float32 or []float64, once read
}

// values returns the storage's elements.
func values[T float](s *storage) ([]T, error) {
	if v, ok := s.decoded.([]T); ok || s.count == 0 {
		return v, nil
	}
	raw, err := s.read()
	if err != nil {
		return nil, err
	}
	v := Decode[T](s.dtype, raw)
	s.decoded = v
	return v, nil
}

// float is a type that numbers are read as.
type float interface{ float32 | float64 }

// kind is the element type of a storage.
type kind struct {
	dtype string // as safetensors calls it
	width int    // bytes
}

// openArchive reads the object of a zip file: <name>/data.pkl, with the storages in
// <name>/data/<key>.
func openArchive(r io.ReaderAt, size int64, hint string) (any, error) {
	z, err := zip.NewReader(r, size)
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
	// Bound for all records together: overlapping records would multiply the file.
	left := size
	record := func(name string) ([]byte, error) {
		f := records[folder+name]
		if f == nil {
			return nil, fmt.Errorf("no record %q in the zip file: not written by torch.save, or damaged", name)
		}
		if f.Method != zip.Store {
			return nil, fmt.Errorf("record %q is compressed, expected a file as torch.save writes it", name)
		}
		if left -= int64(f.UncompressedSize64); left < 0 || f.UncompressedSize64 > uint64(size) {
			return nil, fmt.Errorf("record %q claims %d bytes of a file of %d", name, f.UncompressedSize64, size)
		}
		c, err := f.Open()
		if err != nil {
			return nil, err
		}
		defer c.Close()
		b := make([]byte, f.UncompressedSize64)
		if _, err := io.ReadFull(c, b); err == nil {
			_, err = c.Read(make([]byte, 1)) // the checksum is compared at the end
			if err == io.EOF {
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
		s.read = func() ([]byte, error) {
			b, err := record("data/" + key)
			if err == nil && len(b) != s.count*s.width {
				err = fmt.Errorf("record %q has %d bytes, expected %d values of type %s", "data/"+key, len(b), s.count, s.dtype)
			}
			return b, err
		}
	}
	return root, err
}

// legacyMagic and legacyVersion begin PyTorch's older format, as two pickles.
const (
	legacyMagic   = "\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."
	legacyVersion = "\x80\x02M\xe9\x03."
)

// readLegacy reads the older format: magic, version, pickled facts about the machine, the pickled
// object, the pickled list of storage keys, and for each key the number of elements (int64) and the
// elements.
func readLegacy(r io.ReaderAt, size int64, hint string) (any, error) {
	head := make([]byte, len(legacyMagic)+len(legacyVersion))
	if _, err := r.ReadAt(head, 0); err != nil || string(head) != legacyMagic+legacyVersion {
		return nil, errors.New("not a PyTorch file: neither a zip file nor the older format of torch.save")
	}
	data := make([]byte, size)
	if _, err := r.ReadAt(data, 0); err != nil && err != io.EOF {
		return nil, err
	}
	data = data[len(head):]
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
		if s == nil || len(data) < 8 || binary.LittleEndian.Uint64(data) != uint64(s.count) || s.count > (len(data)-8)/s.width {
			return nil, fmt.Errorf("damaged: storage %q is missing, cut off or of another length than announced", key)
		}
		raw := data[8 : 8+s.count*s.width]
		s.read = func() ([]byte, error) { return raw, nil }
		data = data[8+len(raw):]
	}
	for key, s := range known {
		if s.read == nil {
			return nil, fmt.Errorf("damaged: storage %q is missing", key)
		}
	}
	return pickles[1], nil
}
