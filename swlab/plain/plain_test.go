package plain

import (
	"strings"
	"testing"
)

// TestCheck refuses names that switch nothing, and takes several.
func TestCheck(t *testing.T) {
	for s, ok := range map[Set]bool{"": true, "sort": true, "sort,ascent,host": true, "sorting": false, "sort,": false, "sort, host": false} {
		err := s.Check()
		if ok != (err == nil) || err != nil && !strings.Contains(err.Error(), "ascent, host, sort") {
			t.Errorf("plain %q: %v", s, err)
		}
	}
}
