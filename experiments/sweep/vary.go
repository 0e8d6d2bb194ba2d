package sweep

import (
	"fmt"
	"strings"

	"github.com/sliced-wasserstein/lab/internal/settings"
	"github.com/sliced-wasserstein/lab/swlab/train"
)

// Vary is a setting and its values, both as written on a command line.
type Vary struct {
	Name   string   `json:"name"` // JSON name of a field of train.Config
	Values []string `json:"values"`
}

// Parse reads texts such as "kappa=0.1,1,10", one per setting.
func Parse(texts ...string) ([]Vary, error) {
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

// fields returns the settings of c.
func fields(c *train.Config) settings.Fields { return settings.Of(c, "help") }

// Names lists the settings that can be varied.
func Names() []string { return fields(new(train.Config)).Names() }

// with returns c with another value of the setting of that name, and the value as written.
func with(c train.Config, name, value string) (changed train.Config, text string, err error) {
	f, err := fields(&c).Find(name)
	if err != nil {
		return c, "", fmt.Errorf("vary: %w", err)
	}
	if err := f.Set(value); err != nil {
		return c, "", fmt.Errorf("vary %s: %w", name, err)
	}
	return c, f.Text(), nil
}
