package datasets

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/sliced-wasserstein/lab/datasets/format"
	"github.com/sliced-wasserstein/lab/datasets/shapes"
	"github.com/sliced-wasserstein/lab/internal/memory"
)

// ShapesVersion names the procedural data set.
const ShapesVersion = shapes.Version

// ShapeClasses returns the names of all procedural classes, sorted.
func ShapeClasses() []string { return shapes.Classes() }

// Default sizes of the set: clouds per class in each part.
const (
	shapesTrain = 32
	shapesTest  = 8
)

// Shapes describes a set of procedural shapes: everyday things of 32 classes, each built from
// boxes, cones, spheres, surfaces of revolution, lofts and tubes with random proportions and parts,
// y up, front towards -z. Points are independent and uniform by area over the surface of the union:
// parts inside another closed piece are left out, parts inside an open one (a cup, a roof) count.
// The zero value is the default set, "swshapes-1": 1024 train and 256 test clouds of 2048 points.
//
// A shape depends only on (version, Seed, class, its index in the class). So sets of different
// sizes, or of some classes, share their shapes, and more points extend the sequence of fewer.
type Shapes struct {
	Train   int      // clouds per class in the train part; 0 and Test = 0: 32
	Test    int      // clouds per class in the test part; 0 and Train = 0: 8
	Points  int      // points per cloud; 0: 2048
	Seed    uint64   // 0: the seed of the default set
	Classes []string // classes to generate, in this order; nil: all of [ShapeClasses]
	Raw     bool     // do not normalise
}

// Generate builds the set, class by class, the train shapes of a class before its test shapes. The
// result does not depend on the number of processors. Unknown classes and negative sizes are
// errors.
func (c Shapes) Generate() (*Set, error) {
	if c.Train == 0 && c.Test == 0 {
		c.Train, c.Test = shapesTrain, shapesTest
	}
	if c.Points == 0 {
		c.Points = meshPoints
	}
	if c.Seed == 0 {
		c.Seed = shapes.Seed
	}
	if c.Train < 0 || c.Test < 0 || c.Points < 0 {
		return nil, fmt.Errorf("%s: %d train and %d test clouds of %d points: expected 0 or more", ShapesVersion, c.Train,
			c.Test, c.Points)
	}
	if c.Classes == nil {
		c.Classes = shapes.Classes()
	}
	for _, name := range c.Classes {
		if !slices.Contains(shapes.Classes(), name) {
			return nil, fmt.Errorf("%s: unknown class %q: expected one of %s", ShapesVersion, name,
				strings.Join(shapes.Classes(), ", "))
		}
	}
	perClass := c.Train + c.Test
	n, ok := format.Product(len(c.Classes), perClass)
	if !ok || n == 0 {
		return nil, fmt.Errorf("%s: %d classes of %d clouds: expected at least one cloud and at most %d", ShapesVersion,
			len(c.Classes), perClass, math.MaxInt)
	}
	set := &Set{Name: Builtin, Kind: Builtin, Clouds: n, Points: c.Points, Dim: 3, Classes: slices.Clone(c.Classes)}
	if err := memory.Check(fmt.Sprintf("points: %d of the built-in shapes with %d points", n, c.Points),
		memory.Bytes(3*4, n, c.Points)); err != nil {
		return nil, err
	}
	set.Coords = make([]float32, n*c.Points*3)
	set.Labels, set.Split = make([]int32, n), make([]uint8, n)
	if !c.Raw {
		set.Frames = make([]Frame, n)
	}
	errs := make([]error, n)
	rows := make(chan int)
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for row := range rows {
				class, index := row/perClass, row%perClass
				set.Labels[row] = int32(class)
				// Train shapes 0, 1, ...; test shapes from 2^32 on, so that sizes do not matter.
				number := uint64(index)
				if index >= c.Train {
					set.Split[row] = TestPart
					number = 1<<32 + uint64(index-c.Train)
				}
				cloud := set.Cloud(row)
				copy(cloud, shapes.Cloud(c.Classes[class], c.Points, c.Seed, number))
				if !c.Raw {
					set.Frames[row], _, errs[row] = normalizeCloud(cloud, nil, 3)
				}
			}
		})
	}
	for row := range n {
		rows <- row
	}
	close(rows)
	group.Wait()
	for row, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("%s: shape %d of class %s with %d points: %w", ShapesVersion, row%perClass,
				c.Classes[row/perClass], c.Points, err)
		}
	}
	return set, nil
}
