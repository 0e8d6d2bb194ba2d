// Package shapes makes the built-in clouds, "swshapes-1": 32 classes of procedural objects.
package shapes

import (
	"slices"

	"github.com/sliced-wasserstein/lab/datasets/internal/geometry"
	"github.com/sliced-wasserstein/lab/datasets/internal/rng"
)

// Version names the shapes: numbers on them are comparable between programs of one version.
// They fix the classes, their parameters and every sampled point, and a test pins their checksum. Any
// change to the generator must change the version.
const Version = "swshapes-1"

// Seed is that of the default set of this version.
const Seed = 1

type vec = geometry.Vec

func xyz(x, y, z float64) vec { return vec{X: x, Y: y, Z: z} }

// class is a named construction.
type class struct {
	name  string
	build func(g *solid)
}

// classes lists the classes by name.
var classes = []class{
	{"aeroplane", buildAeroplane}, {"bed", buildBed}, {"bicycle", buildBicycle}, {"bookshelf", buildBookshelf},
	{"bottle", buildBottle}, {"bridge", buildBridge}, {"car", buildCar}, {"chair", buildChair},
	{"church", buildChurch}, {"dog", buildDog}, {"fir", buildFir}, {"floor-lamp", buildFloorLamp},
	{"guitar", buildGuitar}, {"hammer", buildHammer}, {"helicopter", buildHelicopter}, {"monitor", buildMonitor},
	{"mug", buildMug}, {"person", buildPerson}, {"rocket", buildRocket}, {"round-table", buildRoundTable},
	{"sailboat", buildSailboat}, {"sofa", buildSofa}, {"spectacles", buildSpectacles}, {"stool", buildStool},
	{"table", buildTable}, {"teapot", buildTeapot}, {"tree", buildTree}, {"truck", buildTruck},
	{"umbrella", buildUmbrella}, {"vase", buildVase}, {"wheel", buildWheel}, {"windmill", buildWindmill},
}

// Classes returns the names of all classes, sorted.
func Classes() []string {
	names := make([]string, len(classes))
	for i, c := range classes {
		names[i] = c.name
	}
	return names
}

// Cloud builds shape number of a class and samples points of it, row-major [points, 3]; nil if there
// is no such class.
func Cloud(of string, points int, seed, number uint64) []float32 {
	at := slices.IndexFunc(classes, func(c class) bool { return c.name == of })
	if at < 0 {
		return nil
	}
	c := classes[at]
	name := rng.Hash(Version + "/" + c.name)
	g := &solid{Stream: rng.New(seed, name, number, rng.Hash("parameters"))}
	c.build(g)
	return g.sample(points, rng.New(seed, name, number, rng.Hash("points")))
}
