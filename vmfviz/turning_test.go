package vmfviz

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

// readPage makes a page and reads what its script reads. A page is the same in every run, and has no
// ids and no addresses of other files.
func readPage(t *testing.T, o SphereOptions, panels ...SpherePanel) (page string, d turningData) {
	t.Helper()
	page = must.M1(SphereHTML(o, panels...))
	if again, _ := SphereHTML(o, panels...); page != again {
		t.Error("two pages of equal arguments differ")
	}
	for _, bad := range []string{"</script><b>", " id=", "http:", "https:", "src=", "import(", "{{"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	m := regexp.MustCompile(`(?s)class="swlab-data">(.*?)</script>`).FindStringSubmatch(page)
	must.M(json.Unmarshal([]byte(m[1]), &d))
	return page, d
}

// TestSphereHTML: the data of the page are the directions, to 16 bits, or the noise without samples;
// nothing in a text can end the script.
func TestSphereHTML(t *testing.T) {
	points := vmf(1, 100, [3]float64{1, 2, 3}, 5)
	page, d := readPage(t, SphereOptions{Title: `</script><b>"x"`, View: From(10, 20)},
		SpherePanel{Caption: "κ = 5", Points: points, Location: up},
		SpherePanel{Heat: heatOf("F", 6, func(t [3]float64) float64 { return t[2] }), Path: points[:9]},
		SpherePanel{VMF: &VMF{Kappa: 12, Noise: testNoise(3, 5000)}, Location: up})
	if d.Title != `</script><b>"x"` || d.Azimuth != 10 || d.Elevation != 20 || len(d.Frames) != 3 || d.Frames[1].Rows != 6 {
		t.Errorf("data %+v", d)
	}
	raw, err := base64.StdEncoding.DecodeString(d.Frames[0].Points)
	if err != nil || len(raw) != 600 {
		t.Fatalf("%d bytes of points, err %v", len(raw), err)
	}
	for i, want := range points {
		got := float64(int16(binary.LittleEndian.Uint16(raw[2*i:]))) / 32767
		if math.Abs(got-float64(want)) > 1e-4 {
			t.Fatalf("number %d is %g, expected %g", i, got, want)
		}
	}
	if heat := d.Frames[1].Heat; len(heat) != 72 || heat[0] != 255 || heat[71] != 0 {
		t.Errorf("heat %v", heat)
	}
	if f := d.Frames[2]; f.Kappa != 12 || f.Points != "" || len(f.Noise) != 5000*4 || len(page) > 60_000 {
		t.Errorf("κ = %g, %d bytes of points, %d of noise, %d of the page", f.Kappa, len(f.Points), len(f.Noise), len(page))
	}
}
