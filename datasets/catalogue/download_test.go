package catalogue

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"testing"
)

// TestDownload: the file arrives complete despite every fault that a retry can repair.
func TestDownload(t *testing.T) {
	const size = 1_000_000
	content := noise(size)
	good, whole := answer((*site).serve), answer((*site).whole)
	for name, c := range map[string]struct {
		blind    bool // nothing is known about the file beforehand
		answers  []answer
		requests []string
	}{
		"at once":                          {requests: []string{""}},
		"at once, nothing known":           {blind: true, requests: []string{""}},
		"cut twice":                        {answers: []answer{cut(300_000, good), cut(300_000, good)}, requests: []string{"", "bytes=300000-", "bytes=600000-"}},
		"cut often":                        {answers: slices.Repeat([]answer{cut(100_000, good)}, 9)},
		"cut, nothing known: starts again": {blind: true, answers: []answer{cut(300_000, good)}, requests: []string{"", ""}},
		"a server without ranges":          {answers: []answer{cut(300_000, good), whole}, requests: []string{"", "bytes=300000-"}},
		"busy twice":                       {answers: []answer{status(503), status(429)}, requests: []string{"", "", ""}},
		"too short by its own length": {answers: []answer{under("Content-Length", fmt.Sprint(size), sends(content[:200_000]))},
			requests: []string{"", "bytes=200000-"}},
		"an end without length": {answers: []answer{sends(content[:200_000])}, requests: []string{"", "bytes=200000-"}},
		"another range than asked for": {answers: []answer{cut(300_000, good), func(_ *site, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Range", "bytes 5-999999/1000000")
			w.WriteHeader(http.StatusPartialContent)
			w.Write(content[5:])
		}}, requests: []string{"", "bytes=300000-", ""}},
		"range refused": {answers: []answer{cut(300_000, good), status(http.StatusRequestedRangeNotSatisfiable)},
			requests: []string{"", "bytes=300000-", ""}},
		"the first piece was corrupt": {answers: []answer{cut(300_000, serving(flipped(content, 7)))},
			requests: []string{"", "bytes=300000-", ""}},
		"redirected": {answers: []answer{func(_ *site, w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
		}},
			requests: []string{"", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, content, c.answers...)
			seen := int64(0)
			o := quick(t)
			o.Progress = func(_ string, done, total int64) {
				if seen = done; total != size && total != -1 {
					t.Errorf("progress %d of %d", done, total)
				}
			}
			r := fetched(t, plainSource(content, !c.blind, s.URL+"/f.bin"), o, content)
			if c.requests != nil {
				s.wantRequests(t, c.requests...)
			}
			if want := map[bool]string{false: "catalogue", true: "first use"}[c.blind]; r.Checksum != want || r.SHA256 != sumOf(content) || r.Bytes != size || seen != size {
				t.Errorf("record %+v, %d bytes seen", r, seen)
			}
		})
	}
}

// TestDownloadRefused: what a retry cannot repair ends with an error that says what was expected
// and found.
func TestDownloadRefused(t *testing.T) {
	content := noise(100_000)
	bad := serving(flipped(content, 0))
	for name, c := range map[string]struct {
		blind    bool
		answers  []answer // to the first requests
		after    answer
		texts    []string
		requests int
	}{
		"not found":       {after: status(404), texts: []string{"/f.bin", "404 not found"}, requests: 1},
		"broken":          {after: status(500), texts: []string{"given up after 3", "500"}, requests: 3},
		"corrupt":         {after: serving(flipped(content, 99_999)), texts: []string{sumOf(content), "the test", "refused"}, requests: 1},
		"corrupt and cut": {answers: []answer{cut(50_000, bad), bad, cut(50_000, bad)}, after: bad, texts: []string{"SHA-256", "refused"}, requests: 4},
		"another length": {after: func(_ *site, w http.ResponseWriter, _ *http.Request) { w.Write(content[:77]) },
			texts: []string{"100000 bytes", "offers 77"}, requests: 1},
		"too long, length not said":    {after: sends(content, content, content), texts: []string{"more than the expected 100000"}, requests: 1},
		"always cut at the same place": {blind: true, after: cut(50_000, (*site).whole), texts: []string{"given up after 3", "broke after 50000"}, requests: 4},
		"a web page": {blind: true, after: under("Content-Type", "text/html; charset=utf-8", sends([]byte("<html>sign in</html>"))),
			texts: []string{"web page", "f.bin"}, requests: 1},
		"in a circle": {after: func(_ *site, w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
		},
			texts: []string{"redirected 10 times"}, requests: 10},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, content, c.answers...)
			s.after = c.after
			refused(t, plainSource(content, !c.blind, s.URL+"/f.bin"), quick(t), c.texts...)
			if n := len(s.requests()); n != c.requests {
				t.Errorf("%d requests, expected %d", n, c.requests)
			}
		})
	}
}

// wantRequests compares the requested ranges.
func (s *site) wantRequests(t *testing.T, want ...string) {
	t.Helper()
	if got := s.requests(); !slices.Equal(got, want) {
		t.Errorf("requests for %q, expected %q", got, want)
	}
}

// TestInterrupted: the next call uses what arrived before an interruption, or a complete but
// unchecked download.
func TestInterrupted(t *testing.T) {
	content := noise(600_000)
	s := newSite(t, content, hangs(250_000))
	o := quick(t)
	ctx, cancel := context.WithCancel(context.Background())
	o.Progress = func(_ string, done, _ int64) {
		if done == 250_000 {
			cancel()
		}
	}
	source := plainSource(content, true, s.URL)
	if _, err := Fetch(ctx, source, o); !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted: %v", err)
	}
	fetched(t, source, o, content)
	s.wantRequests(t, "", "bytes=250000-")

	o = quick(t)
	put(t, filepath.Join(source.Dir(o.Cache), "f.bin.part"), content)
	fetched(t, source, o, content)
	s.wantRequests(t, "", "bytes=250000-") // none for a download that was complete
}

// TestAddresses: they are tried in order; redirects never leave https.
func TestAddresses(t *testing.T) {
	content := noise(1000)
	s := newSite(t, content)
	empty := httptest.NewServer(http.NotFoundHandler())
	defer empty.Close()
	fetched(t, plainSource(content, true, empty.URL+"/f.bin", s.URL+"/f.bin"), quick(t), content)

	secure := httptest.NewTLSServer(http.RedirectHandler(s.URL+"/f.bin", http.StatusFound))
	defer secure.Close()
	refused(t, plainSource(content, true, secure.URL), quick(t), "certificate")
	o := quick(t)
	o.Client = secure.Client()
	o.Client.CheckRedirect = checkRedirect
	refused(t, plainSource(content, true, secure.URL), o, "from https to http")
}
