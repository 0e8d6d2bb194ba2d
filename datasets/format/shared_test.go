package format

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

// sharedMeshes are vertices, triangles and area of each original, found with Python: trimesh 4, and
// NumPy for the strips of igea.ply.
var sharedMeshes = map[string]struct {
	vertices, triangles int
	area                float64
}{
	"common_models/igea.ply":                    {134345, 268686, 0.023502819253836613},
	"common_models/stanford-bunny.obj":          {35947, 69451, 0.057128786060864294},
	"common_models/suzanne.obj":                 {507, 968, 12.468539112387251},
	"common_models/teapot.obj":                  {3644, 6320, 52.6607934255059},
	"modelnet10_off/bathtub_0001.off":           {3514, 3546, 32701.112088029935},
	"modelnet10_off/bathtub_0002.off":           {700, 664, 17020.348329791977},
	"modelnet10_off/bathtub_0003.off":           {14963, 19985, 12562.33355354606},
	"modelnet10_off/bathtub_0004.off":           {2842, 3519, 18972.581746801778},
	"modelnet10_off/bathtub_0005.off":           {18472, 30734, 7520.084684665302},
	"modelnet10_off/chair_0001.off":             {2382, 2234, 1.0272736745794089},
	"modelnet10_off/chair_0002.off":             {192, 96, 2.361221336804017},
	"modelnet10_off/toilet_0001.off":            {3739, 6341, 4.116217400740762},
	"modelnet10_off/toilet_0002.off":            {11098, 17826, 7.181130509572847},
	"psb_shrec12_obj/Car_m1513.obj":             {13106, 20844, 1.4652008262609795},
	"psb_shrec12_obj/Jet_m1201.obj":             {6769, 11310, 1.1484468301882682},
	"psb_shrec12_obj/Monoplane_D00011.obj":      {597, 1032, 2.447493424884146},
	"psb_shrec12_obj/NonWheelChair_D00037.obj":  {2936, 5336, 4.945896525384105},
	"psb_shrec12_obj/NonWheelChair_m785.obj":    {960, 1788, 1.1154255198293117},
	"psb_shrec12_obj/NonWheelChair_m801.obj":    {8188, 16268, 2.0779638074510283},
	"psb_shrec12_obj/RectangleTable_D00134.obj": {224, 422, 4.162793209042809},
	"psb_shrec12_obj/RectangleTable_m763.obj":   {116, 136, 1.8123159390962784},
	"shapenet_obj/model_normalized.obj":         {138, 624, 4.492062574081535},
}

func TestSharedMeshes(t *testing.T) {
	dir := sharedData(t, "data", "originals")
	for name, want := range sharedMeshes {
		m := must.M1(readMesh(filepath.Join(dir, filepath.FromSlash(name))))
		if len(m.vertices) != want.vertices || len(m.triangles)+m.Flat != want.triangles {
			t.Errorf("%s: %d vertices, %d triangles and %d flat ones, expected %d and %d", name, len(m.vertices), len(m.triangles), m.Flat, want.vertices, want.triangles)
		}
		if math.Abs(m.area()-want.area) > 1e-12*want.area {
			t.Errorf("%s: area %v, expected %v", name, m.area(), want.area)
		}
	}
}

// sharedData finds a folder of test data beside the repository, or skips.
func sharedData(t *testing.T, parts ...string) string {
	t.Helper()
	path := filepath.Join(append([]string{"..", "..", "..", "shared"}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no shared test data at ../shared/%s", strings.Join(parts, "/"))
	}
	return path
}
