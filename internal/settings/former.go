package settings

import (
	"bytes"
	"encoding/json"
	"strings"
)

// JSON names of configurations in the first version and today.
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

// Current translates a configuration's JSON, possibly of the first version, to today's names.
func Current(raw []byte) []byte {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return []byte(now.Replace(b.String()))
}

// Former translates today's JSON to that of the first version, from which the hashes of its runs
// were made. A mean and a sum over points had different names then.
func Former(raw []byte) []byte { return []byte(before.Replace(string(raw))) }
