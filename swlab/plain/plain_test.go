package plain

import (
	"strings"
	"testing"
)

// TestCheck refuses names that switch nothing, and takes several.
func TestCheck(t *testing.T) {
	for s, ok := range map[Set]bool{"": true, "sort": true, "sort,ascent,encoder,attention,host,tables": true, "sorting": false, "sort,": false, "sort, encoder": false} {
		err := s.Check()
		if ok != (err == nil) || err != nil && !strings.Contains(err.Error(), "ascent, attention, encoder, host, sort, tables") {
			t.Errorf("plain %q: %v", s, err)
		}
	}
}
