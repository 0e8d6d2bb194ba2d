package datasets

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
)

// Stream is a set of point clouds in a file, read on demand, with the same numbers as [Load]: every
// cloud is checked, normalised unless Options.Raw, and cut to a seeded subset as it is read. Memory
// does not grow with the number of clouds. [Open] returns one. The file must not change while it is
// in use.
type Stream struct {
	// index has one cloud for each of the stream's, whose only coordinate is its index in the file.
	index    *Set
	m, d     int // points per cloud after the subset, coordinates per point
	file     string
	array    rowReader
	stored   int // points per cloud in the file
	options  Options
	random   func(cloud int) *rng
	progress func(what string, done, total int)

	digesting sync.Mutex
	digest    string // "" until computed
}

// rowReader reads the clouds of an array on disk as stored. It is safe for concurrent use.
type rowReader interface {
	// readRow copies one cloud of dimension d to dst, relative to the origin that it returns; lost is
	// that of round. buffer is scratch; the possibly grown buffer is returned.
	readRow(dst []float32, d, row int, buffer []byte) (origin []float64, lost float64, grown []byte, err error)
	Close() error
}

// errNotOpen is the error for a nil or zero Stream.
var errNotOpen = errors.New("expected a stream of clouds that datasets.Open has opened, found none")

// opened reports whether Open has made s.
func (s *Stream) opened() bool { return s != nil && s.array != nil && s.index != nil }

// Header implements [Clouds]. An unopened stream has no clouds.
func (s *Stream) Header() Header {
	if !s.opened() {
		return Header{Name: "nil"}
	}
	h := s.index.Header()
	h.Points, h.Dim = s.m, s.d
	return h
}

// Part is [Set.Part]: a stream of the clouds of one part, which reads from the same open file.
func (s *Stream) Part(name string) (*Stream, error) {
	if !s.opened() {
		return nil, errNotOpen
	}
	index, err := s.index.Part(name)
	if err != nil || index == s.index {
		return s, err
	}
	return s.of(index), nil
}

// of returns the clouds of an index, read from the same open file.
func (s *Stream) of(index *Set) *Stream {
	return &Stream{index: index, m: s.m, d: s.d, file: s.file, array: s.array, stored: s.stored, options: s.options,
		random: s.random, progress: s.progress}
}

// Close closes the file, also for the parts.
func (s *Stream) Close() error {
	if !s.opened() {
		return nil
	}
	return s.array.Close()
}

// Read implements [Clouds].
func (s *Stream) Read(dst []float32, rows []int32) error {
	if !s.opened() {
		return errNotOpen
	}
	if err := s.Header().checkRead(dst, rows); err != nil {
		return err
	}
	size := s.m * s.d
	share := (len(rows) + runtime.GOMAXPROCS(0) - 1) / runtime.GOMAXPROCS(0)
	blocks := Batches(rows, max(share, 8))
	errs := make([]error, len(blocks))
	var group sync.WaitGroup
	at := 0
	for i, block := range blocks {
		to := dst[at*size : (at+len(block))*size]
		at += len(block)
		group.Go(func() { errs[i] = s.readBlock(to, block) })
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// readBlock reads some of the rows of Read.
func (s *Stream) readBlock(dst []float32, rows []int32) error {
	size := s.m * s.d
	var buffer []byte
	var whole []float32
	var order []int32
	if s.m < s.stored {
		whole, order = make([]float32, s.stored*s.d), make([]int32, s.stored)
	}
	for i, row := range rows {
		to := dst[i*size : (i+1)*size]
		cloud := to
		if whole != nil {
			cloud = whole
		}
		number := int(s.index.Coords[row])
		origin, lost, grown, err := s.array.readRow(cloud, s.d, number, buffer)
		buffer = grown
		if err == nil {
			_, _, err = s.options.prepare(cloud, origin, s.d)
		}
		if err == nil && s.options.Raw {
			err = s.place(cloud, origin, lost)
		}
		if err != nil {
			return fmt.Errorf("%s: cloud %d: %w", s.file, number, err)
		}
		if whole != nil {
			appendSubset(to[:0], whole, s.d, s.m, s.random(number), order)
		}
	}
	return nil
}

// place moves a cloud that was not normalised to where it is. It is an error if float32 does not hold
// it there.
func (s *Stream) place(cloud []float32, origin []float64, lost float64) error {
	one := &Set{Coords: cloud, Clouds: 1, Points: s.stored, Dim: s.d, Origins: origin, Rounding: lost}
	placed := one.Rebase(nil)
	copy(cloud, placed.Coords)
	if w := placed.roundingWarning(); w != "" {
		return errors.New(w + ": subtract a common offset from the file, or normalise the clouds")
	}
	return nil
}

// Digest implements [Clouds]. Computing it also finds every unusable cloud.
func (s *Stream) Digest() (string, error) {
	if !s.opened() {
		return "", errNotOpen
	}
	s.digesting.Lock()
	defer s.digesting.Unlock()
	if s.digest != "" {
		return s.digest, nil
	}
	h := s.Header()
	d, done := newDigest(), 0
	for clouds, err := range Ahead(s, h.InOrder()) {
		if err != nil {
			return "", err
		}
		d.add(clouds)
		done += len(clouds) / (s.m * s.d)
		if s.progress != nil {
			s.progress("checking "+h.Name, done, h.Clouds)
		}
	}
	s.digest = d.sum()
	return s.digest, nil
}
