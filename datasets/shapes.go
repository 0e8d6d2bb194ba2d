package datasets

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/sliced-wasserstein/lab/internal/memory"
)

// ShapesVersion names the procedural data set, "swshapes". Numbers computed on the default set are
// comparable between programs with the same version. It fixes the classes, their parameters and
// every sampled point, and a test pins their checksum. Any change to the generator must change the
// version.
const ShapesVersion = "swshapes-1"

// shapesSeed is the seed of the default set of this version.
const shapesSeed = 1

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

// shapeClass is a named construction.
type shapeClass struct {
	name  string
	build func(g *solid)
}

// shapeClasses lists the classes by name.
var shapeClasses = []shapeClass{
	{"aeroplane", buildAeroplane}, {"bed", buildBed}, {"bicycle", buildBicycle}, {"bookshelf", buildBookshelf},
	{"bottle", buildBottle}, {"bridge", buildBridge}, {"car", buildCar}, {"chair", buildChair},
	{"church", buildChurch}, {"dog", buildDog}, {"fir", buildFir}, {"floor-lamp", buildFloorLamp},
	{"guitar", buildGuitar}, {"hammer", buildHammer}, {"helicopter", buildHelicopter}, {"monitor", buildMonitor},
	{"mug", buildMug}, {"person", buildPerson}, {"rocket", buildRocket}, {"round-table", buildRoundTable},
	{"sailboat", buildSailboat}, {"sofa", buildSofa}, {"spectacles", buildSpectacles}, {"stool", buildStool},
	{"table", buildTable}, {"teapot", buildTeapot}, {"tree", buildTree}, {"truck", buildTruck},
	{"umbrella", buildUmbrella}, {"vase", buildVase}, {"wheel", buildWheel}, {"windmill", buildWindmill},
}

// ShapeClasses returns the names of all procedural classes, sorted.
func ShapeClasses() []string {
	names := make([]string, len(shapeClasses))
	for i, c := range shapeClasses {
		names[i] = c.name
	}
	return names
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
		c.Seed = shapesSeed
	}
	if c.Train < 0 || c.Test < 0 || c.Points < 0 {
		return nil, fmt.Errorf("%s: %d train and %d test clouds of %d points: expected 0 or more", ShapesVersion, c.Train, c.Test, c.Points)
	}
	if c.Classes == nil {
		c.Classes = ShapeClasses()
	}
	chosen := make([]shapeClass, len(c.Classes))
	for i, name := range c.Classes {
		at := slices.IndexFunc(shapeClasses, func(s shapeClass) bool { return s.name == name })
		if at < 0 {
			return nil, fmt.Errorf("%s: unknown class %q: expected one of %s", ShapesVersion, name, strings.Join(ShapeClasses(), ", "))
		}
		chosen[i] = shapeClasses[at]
	}
	perClass := c.Train + c.Test
	n, ok := product(len(chosen), perClass)
	if !ok || n == 0 {
		return nil, fmt.Errorf("%s: %d classes of %d clouds: expected at least one cloud and at most %d", ShapesVersion, len(chosen), perClass, math.MaxInt)
	}
	set := &Set{Name: Builtin, Kind: Builtin, Clouds: n, Points: c.Points, Dim: 3, Classes: slices.Clone(c.Classes)}
	if err := memory.Check(fmt.Sprintf("points: %d of the built-in shapes with %d points", n, c.Points), memory.Bytes(3*4, n, c.Points)); err != nil {
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
				class, index := chosen[row/perClass], row%perClass
				set.Labels[row] = int32(row / perClass)
				// Train shapes 0, 1, ...; test shapes from 2^32 on, so that sizes do not matter.
				number := uint64(index)
				if index >= c.Train {
					set.Split[row] = TestPart
					number = 1<<32 + uint64(index-c.Train)
				}
				cloud := set.Cloud(row)
				copy(cloud, class.generate(c.Points, c.Seed, number))
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
			return nil, fmt.Errorf("%s: shape %d of class %s with %d points: %w", ShapesVersion, row%perClass, chosen[row/perClass].name, c.Points, err)
		}
	}
	return set, nil
}

// generate builds one shape and samples it.
func (c shapeClass) generate(points int, seed, number uint64) []float32 {
	name := hashName(ShapesVersion + "/" + c.name)
	g := &solid{rng: newStream(seed, name, number, hashName("parameters"))}
	c.build(g)
	return g.sample(points, newStream(seed, name, number, hashName("points")))
}
