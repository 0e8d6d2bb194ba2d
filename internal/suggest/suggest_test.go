package suggest

import "testing"

func TestClosest(t *testing.T) {
	losses := []string{"asw", "chamfer", "cv-sw", "emd-approx", "emd-exact", "max-sw", "sinkhorn", "sinkhorn-divergence", "sw", "v-dsw"}
	for word, want := range map[string]string{
		"swd": "sw", "SW": "sw", "chamfre": "chamfer", "champfer": "chamfer", "vdsw": "v-dsw", "v-dws": "v-dsw", "emd": "", "emd-aprox": "emd-approx",
		"sinkhorn-div": "sinkhorn-divergence", "maxsw": "max-sw", "nonsense": "", "": "", "x": "",
	} {
		if got := Closest(word, losses); got != want {
			t.Errorf("%q: found %q, expected %q", word, got, want)
		}
	}
	if got := Closest("trian", []string{"table", "train"}); got != "train" {
		t.Errorf("trian: found %q", got)
	}
}

func TestUnknown(t *testing.T) {
	if got, want := Unknown("loss", "swd", []string{"chamfer", "sw"}).Error(), `unknown loss "swd", expected one of chamfer, sw; did you mean "sw"?`; got != want {
		t.Errorf("found %s, expected %s", got, want)
	}
	if got, want := Unknown("loss", "other", []string{"chamfer", "sw"}).Error(), `unknown loss "other", expected one of chamfer, sw`; got != want {
		t.Errorf("found %s, expected %s", got, want)
	}
}
