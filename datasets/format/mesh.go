package format

import (
	"fmt"
	"math"
	"os"

	"github.com/sliced-wasserstein/lab/datasets/internal/geometry"
	"github.com/sliced-wasserstein/lab/datasets/internal/rng"
	"github.com/sliced-wasserstein/lab/internal/memory"
)

type vec = geometry.Vec

// Mesh is a triangle mesh, or a bare set of vertices when the file has no faces.
type Mesh struct {
	vertices  []vec
	triangles [][3]int32
	faces     int // faces in the file, before triangulation
	Flat      int // those without area, which are left out
}

// readerOf returns the reader of a mesh or cloud by the file's extension; nil for other files.
func readerOf(path string) func(name string, data []byte) (*Mesh, error) {
	extension := extension(path)
	if parse := meshReaders[extension]; parse != nil {
		return parse
	}
	return pointReaders[extension]
}

// readMesh reads a mesh, or a cloud of vertices, by the file's extension.
func readMesh(path string) (*Mesh, error) {
	parse := readerOf(path)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, FileError(path, err)
	}
	return parse(path, data)
}

// polygons collects faces until all vertices are known, since a face may come before its vertices.
type polygons struct {
	corners []int // of all faces: face i ends at ends[i]
	ends    []int
	places  []int // of the faces in the file
}

func (p *polygons) add(place int, corners ...int) {
	p.corners = append(p.corners, corners...)
	p.ends, p.places = append(p.ends, len(p.corners)), append(p.places, place)
}

// addTo passes the faces to the mesh; errorAt makes an error at a place of the file.
func (p *polygons) addTo(m *Mesh, errorAt func(place int, err error) error) error {
	start := 0
	for i, end := range p.ends {
		if err := m.addFace(p.corners[start:end]); err != nil {
			return errorAt(p.places[i], err)
		}
		start = end
	}
	return nil
}

// addFace triangulates a polygon given by vertex indices. Indices outside the vertices are errors;
// polygons with fewer than three corners and triangles without area are counted and left out.
func (m *Mesh) addFace(corners []int) error {
	for _, c := range corners {
		if c < 0 || c >= len(m.vertices) {
			return fmt.Errorf("a face refers to vertex %d: there are %d (counted from 0)", c, len(m.vertices))
		}
	}
	if len(corners) < 3 {
		m.faces++
		m.Flat++
		return nil
	}
	if len(corners) == 3 {
		m.addTriangle(corners[0], corners[1], corners[2])
		return nil
	}
	m.faces++
	before := len(m.triangles)
	points := make([]vec, len(corners))
	for i, c := range corners {
		points[i] = m.vertices[c]
	}
	for _, t := range geometry.Triangulate(points) {
		m.keep(corners[t[0]], corners[t[1]], corners[t[2]])
	}
	if len(m.triangles) == before {
		m.Flat++
	}
	return nil
}

// addTriangle adds a face with three corners.
func (m *Mesh) addTriangle(a, b, c int) {
	m.faces++
	if !m.keep(a, b, c) {
		m.Flat++
	}
}

// keep appends a triangle unless it has no area.
func (m *Mesh) keep(a, b, c int) bool {
	if geometry.TriangleArea(m.vertices[a], m.vertices[b], m.vertices[c]) == 0 {
		return false
	}
	m.triangles = append(m.triangles, [3]int32{int32(a), int32(b), int32(c)})
	return true
}

// addVertex appends a vertex; coordinates must be finite, also as float32.
func (m *Mesh) addVertex(v vec) error {
	for _, x := range []float64{v.X, v.Y, v.Z} {
		if math.IsNaN(x) || math.Abs(x) > math.MaxFloat32 {
			return fmt.Errorf("vertex %d: %w", len(m.vertices), errNotFinite(x))
		}
	}
	if len(m.vertices) == math.MaxInt32 {
		return fmt.Errorf("more than %d vertices", math.MaxInt32)
	}
	m.vertices = append(m.vertices, v)
	return nil
}

// Sample draws n points uniformly by area: a triangle with probability proportional to its area,
// then a uniform point in it, a + s((b-a) + t(c-b)) with s = sqrt(u1), t = u2. The result is
// row-major [n, 3].
func (m *Mesh) Sample(n int, random *rng.Stream) ([]float64, error) {
	total, upTo := 0.0, make([]float64, len(m.triangles))
	for i, t := range m.triangles {
		total += geometry.TriangleArea(m.vertices[t[0]], m.vertices[t[1]], m.vertices[t[2]])
		upTo[i] = total
	}
	if len(m.triangles) == 0 {
		return nil, fmt.Errorf("no face with an area to sample from (%d faces, %d vertices)", m.faces, len(m.vertices))
	}
	if err := memory.Check(fmt.Sprintf("points: %d samples of a mesh", n), memory.Bytes(3*8, n)); err != nil {
		return nil, err
	}
	out := make([]float64, 0, 3*n)
	for range n {
		t := m.triangles[random.Pick(upTo)]
		a, b, c := m.vertices[t[0]], m.vertices[t[1]], m.vertices[t[2]]
		s, along := math.Sqrt(random.Float()), random.Float()
		p := a.Add(b.Sub(a).Add(c.Sub(b).Scale(along)).Scale(s))
		out = append(out, p.X, p.Y, p.Z)
	}
	return out, nil
}

// points returns the vertices, row-major [len, 3].
func (m *Mesh) points() []float64 {
	out := make([]float64, 0, 3*len(m.vertices))
	for _, v := range m.vertices {
		out = append(out, v.X, v.Y, v.Z)
	}
	return out
}
