package datasets

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"math"
	"slices"
)

// Clouds gives access to the clouds of a data set by index: a [Set] from memory, a [Stream] from a
// file. It is safe for concurrent use.
type Clouds interface {
	// Header describes the clouds.
	Header() Header
	// Read copies the clouds at rows, in that order and where they are, rounded to float32, to dst, row-major [len(rows), Points, Dim]. A
	// row may appear more than once. A row outside [0, Clouds), a dst of another length or an
	// unusable cloud is an error; the last names file and cloud.
	Read(dst []float32, rows []int32) error
	// Digest is the SHA-256 of all coordinates as little-endian float32 in the order of the clouds
	// and, for a Set with them, of its Origins as float64, in hexadecimal. It is the same for the same clouds wherever they are read from. A Stream
	// reads all its clouds once for it.
	Digest() (string, error)
}

// Header describes the clouds of a [Clouds] without their points. Its fields are those of [Set].
type Header struct {
	Name, Kind          string
	Clouds, Points, Dim int
	Labels              []int32
	Classes             []string
	Split               []uint8
}

// HeaderOf returns the header of s. A nil s has no clouds.
func HeaderOf(s Clouds) Header {
	if s == nil {
		return Header{Name: "nil"}
	}
	return s.Header()
}

// Header implements [Clouds]. A nil set has no clouds.
func (s *Set) Header() Header {
	if s == nil {
		return Header{Name: "nil"}
	}
	return Header{Name: s.Name, Kind: s.Kind, Clouds: s.Clouds, Points: s.Points, Dim: s.Dim, Labels: s.Labels, Classes: s.Classes, Split: s.Split}
}

// Read implements [Clouds].
func (s *Set) Read(dst []float32, rows []int32) error {
	if err := s.Header().checkRead(dst, rows); err != nil {
		return err
	}
	if err := s.consistent(); err != nil {
		return err
	}
	size := s.Points * s.Dim
	for i, row := range rows {
		to, origin := dst[i*size:(i+1)*size], s.Origin(int(row))
		copy(to, s.Cloud(int(row)))
		for j := range origin {
			for k := j; k < size; k += s.Dim {
				to[k] = float32(origin[j] + float64(to[k]))
			}
		}
	}
	return nil
}

// Digest implements [Clouds]. Its error is nil unless the fields of s are inconsistent.
func (s *Set) Digest() (string, error) {
	if err := s.consistent(); err != nil {
		return "", err
	}
	d := newDigest()
	d.add(s.Coords)
	if s.Origins != nil {
		_ = binary.Write(d.hash, binary.LittleEndian, s.Origins) // writing to a hash never fails
	}
	return d.sum(), nil
}

// PartOf is [Set.Part] or [Stream.Part].
func PartOf(s Clouds, name string) (Clouds, error) {
	switch s := s.(type) {
	case *Set:
		return asClouds(s.Part(name))
	case *Stream:
		return asClouds(s.Part(name))
	}
	return nil, fmt.Errorf("%s: expected a Set or a Stream to take a part of, found %T", HeaderOf(s).Name, s)
}

// HoldOut returns the clouds of s with floor(val*n) of its n train clouds as val part instead, drawn
// as by [Set.WithRandomSplit]; without parts all are train clouds. With a val of 0, s is returned
// unchanged. The result shares the clouds of s.
func HoldOut(s Clouds, val float64, seed uint64) (Clouds, error) {
	h := HeaderOf(s)
	if val == 0 {
		return s, nil
	}
	split := slices.Clone(h.Split)
	if split == nil { // all are train clouds
		split = make([]uint8, max(0, h.Clouds))
	}
	train, err := (&Set{Name: h.Name, Clouds: h.Clouds, Labels: h.Labels, Split: split}).Part("train")
	if err != nil {
		return nil, err
	}
	if train, err = train.WithRandomSplit(val, 0, seed); err != nil {
		return nil, err
	}
	next := 0
	for i, p := range split {
		if p == TrainPart {
			split[i] = train.Split[next]
			next++
		}
	}
	switch s := s.(type) {
	case *Set:
		out := *s
		out.Split, out.SplitDraw = split, nil
		return &out, nil
	case *Stream:
		index := *s.index
		index.Split = split
		return s.of(&index), nil
	}
	return nil, fmt.Errorf("%s: expected a Set or a Stream to hold clouds out of, found %T", h.Name, s)
}

// asClouds returns a nil interface with an error.
func asClouds[T Clouds](s T, err error) (Clouds, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

// checkRead checks the arguments of Read.
func (h Header) checkRead(dst []float32, rows []int32) error {
	if h.Points < 0 || h.Dim < 0 || h.Clouds < 0 {
		return fmt.Errorf("%s: expected clouds, points and coordinates, found shape [%d %d %d]", h.Name, h.Clouds, h.Points, h.Dim)
	}
	if want, ok := product(len(rows), h.Points, h.Dim); !ok || len(dst) != want {
		return fmt.Errorf("%s: %d clouds have %d coordinates, found room for %d", h.Name, len(rows), want, len(dst))
	}
	for _, row := range rows {
		if row < 0 || int(row) >= h.Clouds {
			return fmt.Errorf("%s: expected a cloud from 0 to %d, found %d", h.Name, h.Clouds-1, row)
		}
	}
	return nil
}

// digestStep is the number of coordinates converted at a time.
const digestStep = 1 << 14

// digest is a SHA-256 over float32 numbers.
type digest struct {
	hash  hash.Hash
	bytes [4 * digestStep]byte
}

func newDigest() *digest { return &digest{hash: sha256.New()} }

func (d *digest) sum() string { return hex.EncodeToString(d.hash.Sum(nil)) }

// add takes any number of values.
func (d *digest) add(values []float32) {
	for len(values) > 0 {
		n := min(digestStep, len(values))
		d.step(values[:n])
		values = values[n:]
	}
}

func (d *digest) step(values []float32) {
	for i, v := range values {
		binary.LittleEndian.PutUint32(d.bytes[4*i:], math.Float32bits(v))
	}
	_, _ = d.hash.Write(d.bytes[:4*len(values)]) // writing to a hash never fails
}
