package settings

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Names in the JSON of configurations, as they were in the first version and as they are.
var (
	now    = strings.NewReplacer(renamed(0, 1)...)
	before = strings.NewReplacer(renamed(1, 0)...)
)

func renamed(from, to int) (pairs []string) {
	for _, p := range [][2]string{
		{`"reflection":"coded"`, `"reflection":"released"`},
		{`"form":"coded"`, `"variant":"released"`},
		{`"form":"written"`, `"variant":"paper"`},
		{`"per_point":true`, `"reduce":"mean"`},
		{`"summed":true`, `"reduce":"sum"`},
	} {
		pairs = append(pairs, p[from], p[to])
	}
	return pairs
}

// Current is a configuration's JSON, which the first version may have written, in the names of
// today.
func Current(raw []byte) []byte {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return []byte(now.Replace(b.String()))
}

// Former is JSON of today as the first version wrote it, from which the hashes of its runs were
// made. A mean and a sum over points had names of their own.
func Former(raw []byte) []byte { return []byte(before.Replace(string(raw))) }
