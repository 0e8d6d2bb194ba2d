package version

import (
	"runtime/debug"
	"testing"
)

func TestOf(t *testing.T) {
	const hash = "0123456789abcdef0123456789abcdef01234567"
	settings := func(modified string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "vcs.revision", Value: hash}, {Key: "vcs.modified", Value: modified}}
	}
	here := func(v string) debug.Module { return debug.Module{Path: Module, Version: v} }
	for name, c := range map[string]struct {
		build  debug.BuildInfo
		linked string
		want   Info
	}{
		"nothing known":      {debug.BuildInfo{}, "", Info{"devel", "", false}},
		"go run":             {debug.BuildInfo{Main: here("(devel)")}, "", Info{"devel", "", false}},
		"linker":             {debug.BuildInfo{Main: here("(devel)")}, hash, Info{"devel+0123456789ab", hash, false}},
		"linker, dirty":      {debug.BuildInfo{Main: here("(devel)")}, hash + "-dirty", Info{"devel+0123456789ab.dirty", hash, true}},
		"go build":           {debug.BuildInfo{Main: here("(devel)"), Settings: settings("true")}, "", Info{"devel+0123456789ab.dirty", hash, true}},
		"pseudo version":     {debug.BuildInfo{Main: here("v0.0.0-20260101000000-0123456789ab"), Settings: settings("false")}, "", Info{"v0.0.0-20260101000000-0123456789ab", hash, false}},
		"go install":         {debug.BuildInfo{Main: here("v1.2.0")}, "", Info{"v1.2.0", "", false}},
		"in another program": {debug.BuildInfo{Main: debug.Module{Path: "example.com/x", Version: "v9.0.0"}, Deps: []*debug.Module{{Path: Module, Version: "v1.2.0"}}, Settings: settings("true")}, "", Info{"v1.2.0", "", false}},
		"replaced by a copy": {debug.BuildInfo{Main: debug.Module{Path: "example.com/x"}, Deps: []*debug.Module{{Path: Module, Version: "v1.2.0", Replace: &debug.Module{Path: "../lab"}}}}, "", Info{"devel", "", false}},
	} {
		if got := of(&c.build, c.linked); got != c.want {
			t.Errorf("%s: found %+v, expected %+v", name, got, c.want)
		}
	}
}
