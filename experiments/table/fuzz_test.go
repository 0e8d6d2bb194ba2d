package table

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/janpfeifer/must"
)

// FuzzRead: results that can be read are written as results that can.
func FuzzRead(f *testing.F) {
	f.Add(must.M1(os.ReadFile("../../docs/results/ablation_L-desk.json")))
	f.Add([]byte(`{"name":"ablation_L","columns":[{"key":"sw","scale":100}],"rows":[{"id":"x","ours":true,"values":{"sw":{"mean":null,"sd":1,"n":2,"values":[1,null]}}}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := Read(raw)
		if err != nil {
			return
		}
		again := must.M1(json.Marshal(r.JSON()))
		if _, err := Read(again); err != nil {
			t.Errorf("what was read is written as %s: %v", again, err)
		}
	})
}
