package settings

import (
	"fmt"
	"strings"
)

// Vary is a setting with the values that it takes in turn.
type Vary struct {
	Name   string   `json:"name"` // JSON name of a field
	Values []string `json:"values"`
}

// ParseVary reads texts such as "kappa=0.1,1,10", one per setting.
func ParseVary(texts ...string) ([]Vary, error) {
	var out []Vary
	for _, text := range texts {
		name, values, ok := strings.Cut(text, "=")
		if !ok {
			return nil, fmt.Errorf("vary: expected NAME=V1,V2,..., found %q", text)
		}
		v := Vary{Name: strings.TrimSpace(name)}
		for _, value := range strings.Split(values, ",") {
			v.Values = append(v.Values, strings.TrimSpace(value))
		}
		out = append(out, v)
	}
	return out, nil
}
