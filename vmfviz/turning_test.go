package vmfviz

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"regexp"
	"strings"
	"testing"
)

// TestSphereHTML: the data of the page are the directions, to 16 bits; nothing
// in a text can end the script; no ids, no addresses of other files.
func TestSphereHTML(t *testing.T) {
	points := vmf(1, 100, [3]float64{1, 2, 3}, 5)
	page, err := SphereHTML(SphereOptions{Title: `</script><b>"x"`, View: From(10, 20)},
		SpherePanel{Caption: "κ = 5", Points: points, Location: up},
		SpherePanel{Heat: HeatOf("F", 6, func(t [3]float64) float64 { return t[2] }), Path: points[:9]})
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"</script><b>", " id=", "http:", "https:", "src=", "{{"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	m := regexp.MustCompile(`(?s)class="swlab-data">(.*?)</script>`).FindStringSubmatch(page)
	var d turningData
	if err := json.Unmarshal([]byte(m[1]), &d); err != nil {
		t.Fatal(err)
	}
	if d.Title != `</script><b>"x"` || d.Azimuth != 10 || d.Elevation != 20 || len(d.Frames) != 2 || d.Frames[1].Rows != 6 {
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
	heat := d.Frames[1].Heat
	if len(heat) != 72 || heat[0] != 255 || heat[71] != 0 {
		t.Errorf("heat %v", heat)
	}
	again, _ := SphereHTML(SphereOptions{Title: `</script><b>"x"`, View: From(10, 20)},
		SpherePanel{Caption: "κ = 5", Points: points, Location: up},
		SpherePanel{Heat: HeatOf("F", 6, func(t [3]float64) float64 { return t[2] }), Path: points[:9]})
	if page != again {
		t.Error("two pages of equal arguments differ")
	}
}
