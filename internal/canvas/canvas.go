// Package canvas holds what the pages with a turning canvas share: pieces of HTML for the output of
// a notebook's cell. They need no library and no network and have no element ids, so a notebook may
// show one twice.
package canvas

import (
	_ "embed" // embeds the script
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"html"
	"math"
	"strings"
)

//go:embed view.js
var view string

// Page fills a page: {{view}} with the shared script, {{data}} with the data as JSON, which cannot
// end a script, and {{message}} with the text shown where scripts do not run.
func Page(page, message string, data any) (string, error) {
	raw, err := json.Marshal(data) // escapes <, > and &
	if err != nil {
		return "", fmt.Errorf("writing the page: %w", err)
	}
	return strings.NewReplacer("{{view}}", view, "{{message}}", html.EscapeString(message), "{{data}}", string(raw)).Replace(page), nil
}

// Pack writes coordinates as little-endian 16-bit numbers in base64, 32767 for the unit; the
// script's coordinates() reads them.
func Pack[T float32 | float64](v []T, unit float64) string {
	b := make([]byte, 0, 2*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint16(b, uint16(int16(math.Round(32767*float64(x)/unit))))
	}
	return base64.StdEncoding.EncodeToString(b)
}
