package catalogue

import (
	"context"
	"testing"

	"github.com/sliced-wasserstein/lab/internal/durable/durabletest"
)

// TestEveryFault: whichever file operation of a download is the first to fail, one line says what to
// do, and the next call ends with the whole data set and nothing else.
func TestEveryFault(t *testing.T) {
	content := noise(3 << 18)
	s := newSite(t, content)
	source := plainSource(content, true, s.URL)
	var o Options
	work := func() error {
		o = quick(t)
		_, err := Fetch(context.Background(), source, o)
		return err
	}
	durabletest.Every(t, work, func(fault string, err error) {
		if err != nil && !durabletest.Explained(err) { // closing a file that is synced may fail
			t.Errorf("%s: %v", fault, err)
		}
		fetched(t, source, o, content)
	})
}
