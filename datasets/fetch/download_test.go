package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestDownload: the file arrives complete despite every fault that a retry can repair.
func TestDownload(t *testing.T) {
	const size = 1_000_000
	content := noise(size)
	good, whole := answer((*site).serve), answer((*site).whole)
	const none = "none"
	for name, c := range map[string]struct {
		blind    bool   // nothing is known about the file beforehand
		etag     string // none: the server sends none
		answers  []answer
		requests []string
	}{
		"at once":                {requests: []string{""}},
		"at once, nothing known": {blind: true, requests: []string{""}},
		"cut twice":              {answers: []answer{cut(300_000, good), cut(300_000, good)}, requests: []string{"", "bytes=300000-", "bytes=600000-"}},
		"cut twice, nothing known": {blind: true, answers: []answer{cut(300_000, good), cut(300_000, good)},
			requests: []string{"", "bytes=300000-", "bytes=600000-"}},
		"cut often": {answers: slices.Repeat([]answer{cut(100_000, good)}, 9)},
		"cut, no ETag, nothing known: starts again": {blind: true, etag: none, answers: []answer{cut(300_000, good)}, requests: []string{"", ""}},
		"cut, no ETag, but a checksum":              {etag: none, answers: []answer{cut(300_000, good)}, requests: []string{"", "bytes=300000-"}},
		"cut, a weak ETag, nothing known":           {blind: true, etag: `W/"one"`, answers: []answer{cut(300_000, good)}, requests: []string{"", ""}},
		"a server without ranges":                   {answers: []answer{cut(300_000, good), whole}, requests: []string{"", "bytes=300000-"}},
		"busy twice":                                {answers: []answer{status(503), status(429)}, requests: []string{"", "", ""}},
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
		"the first piece was corrupt": {answers: []answer{cut(300_000, serving(flipped(content, 7), `"one"`))},
			requests: []string{"", "bytes=300000-", ""}},
		"redirected": {answers: []answer{func(_ *site, w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
		}},
			requests: []string{"", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, content, c.answers...)
			if c.etag != "" {
				s.etag = strings.TrimPrefix(c.etag, none)
			}
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
	bad := serving(flipped(content, 0), `"one"`)
	for name, c := range map[string]struct {
		blind    bool
		answers  []answer // to the first requests
		after    answer
		texts    []string
		requests int
	}{
		"not found":       {after: status(404), texts: []string{"/f.bin", "404 not found"}, requests: 1},
		"broken":          {after: status(500), texts: []string{"given up after 3", "500"}, requests: 3},
		"corrupt":         {after: serving(flipped(content, 99_999), ""), texts: []string{sumOf(content), "the test", "refused"}, requests: 1},
		"corrupt and cut": {answers: []answer{cut(50_000, bad), bad, cut(50_000, bad)}, after: bad, texts: []string{"SHA-256", "refused"}, requests: 4},
		"another length": {after: func(_ *site, w http.ResponseWriter, _ *http.Request) { w.Write(content[:77]) },
			texts: []string{"100000 bytes", "offers 77"}, requests: 1},
		"too long, length not said":    {after: sends(content, content, content), texts: []string{"more than the expected 100000"}, requests: 1},
		"always cut at the same place": {blind: true, after: cut(50_000, (*site).whole), texts: []string{"given up after 3", "broke after 50000"}, requests: 4},
		"a web page": {blind: true, after: under("Content-Type", "text/html; charset=utf-8", sends([]byte("<html>sign in</html>"))),
			texts: []string{"web page", "f.bin"}, requests: 1},
		"compressed": {blind: true, after: under("Content-Encoding", "br", sends(content)), texts: []string{"encoded as br"}, requests: 1},
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

// TestStall: a stalled connection is given up and retried; one that never sends anything is an
// error.
func TestStall(t *testing.T) {
	content := noise(100_000)
	s := newSite(t, content, hangs(50_000))
	o := quick(t)
	o.Stall = 50 * time.Millisecond
	fetched(t, plainSource(content, true, s.URL), o, content)
	s.wantRequests(t, "", "bytes=50000-")

	for name, how := range map[string]answer{
		"before the answer": func(_ *site, _ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"within":            hangs(50_000),
	} {
		t.Run(name, func(t *testing.T) {
			silent := newSite(t, content)
			silent.after = how
			o := quick(t)
			o.Stall = 5 * time.Millisecond
			refused(t, plainSource(content, true, silent.URL), o, "given up", "no byte came for 5ms")
		})
	}
}

// slowly is a server's answer of ten bytes, each after a pause, in the time of synctest.
type slowly struct {
	pause time.Duration
	left  int
}

func (s *slowly) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, ContentLength: 10, Body: io.NopCloser(slowBody{s, r.Context()}), Request: r}, nil
}

type slowBody struct {
	*slowly
	ctx context.Context
}

func (b slowBody) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, io.EOF
	}
	select {
	case <-b.ctx.Done():
		return 0, b.ctx.Err()
	case <-time.After(b.pause):
		b.left--
		p[0] = 'x'
		return 1, nil
	}
}

// TestSlowIsNotStalled: only the pause between two bytes counts, not the total time.
func TestSlowIsNotStalled(t *testing.T) {
	content := []byte("xxxxxxxxxx")
	for pause, stalled := range map[time.Duration]bool{29 * time.Second: false, 31 * time.Second: true} {
		synctest.Test(t, func(t *testing.T) {
			// With the default times.
			o := Options{Cache: t.TempDir(), Client: &http.Client{Transport: &slowly{pause, 10}}}
			began := time.Now()
			if stalled {
				refused(t, plainSource(content, true, "http://host/f.bin"), o, "given up after 5", "no byte came for 30s")
				// Five times 30 s and pauses of 1, 2, 4, 8 s.
				if took := time.Since(began); took != 165*time.Second {
					t.Errorf("given up after %v", took)
				}
				return
			}
			fetched(t, plainSource(content, true, "http://host/f.bin"), o, content)
			if took := time.Since(began); took != 290*time.Second {
				t.Errorf("ten bytes took %v", took)
			}
		})
	}
}

// TestChangedFile: pieces of two versions of a file are not combined.
func TestChangedFile(t *testing.T) {
	old, content := noise(100_000), noise(100_001)
	s := newSite(t, content, cut(60_000, serving(old, `"zero"`)))
	fetched(t, plainSource(nil, false, s.URL), quick(t), content)
	s.wantRequests(t, "", "bytes=60000-")
}

// TestNewDescription: what is left of an earlier version of the file goes before the new version is
// described. A call that ends between the two would otherwise leave old bytes for the new file.
func TestNewDescription(t *testing.T) {
	s := newSite(t, noise(1000))
	source, o := plainSource(nil, false, s.URL), quick(t)
	part := filepath.Join(source.Dir(o.Cache), "f.bin.part")
	put(t, part, noise(500))
	put(t, filepath.Join(part+metaSuffix, "in", "the-way"), nil) // so that it cannot be described
	if _, err := Fetch(context.Background(), source, o); err == nil {
		t.Error("a description cannot have been written")
	}
	if n := fileSize(part); n > 0 {
		t.Errorf("%d old bytes are left", n)
	}
}

// TestInterrupted: the next call uses what arrived before an interruption, or a complete but
// unchecked download. A partial download from another address is not used.
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
	source := plainSource(content, false, s.URL)
	if _, err := Fetch(ctx, source, o); !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted: %v", err)
	}
	fetched(t, source, o, content)
	s.wantRequests(t, "", "bytes=250000-")

	left := func(part []byte) Options { // of a download from s
		o := quick(t)
		path := filepath.Join(source.Dir(o.Cache), "f.bin.part")
		put(t, path, part)
		put(t, path+".json", []byte(`{"URL":"`+s.URL+`","ETag":"\"one\"","Total":600000}`))
		return o
	}
	fetched(t, source, left(content), content)
	s.wantRequests(t, "", "bytes=250000-") // none for a download that was complete
	other := newSite(t, content)
	fetched(t, plainSource(content, false, other.URL), left(noise(300_000)), content)
	other.wantRequests(t, "")
}

// TestAddresses: a mirror replaces the addresses; without one they are tried in order; redirects
// never leave https.
func TestAddresses(t *testing.T) {
	content := noise(1000)
	s := newSite(t, content)
	empty := httptest.NewServer(http.NotFoundHandler())
	defer empty.Close()
	fetched(t, plainSource(content, true, empty.URL+"/f.bin", s.URL+"/f.bin"), quick(t), content)

	for _, mirror := range []string{"/pub/", "/pub", "/pub/f.bin"} {
		s.after = func(s *site, w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/pub/f.bin" {
				t.Errorf("mirror %s: asked for %s", mirror, r.URL.Path)
			}
			s.serve(w, r)
		}
		o := quick(t)
		o.Mirror = s.URL + mirror
		r := fetched(t, plainSource(content, true, empty.URL), o, content)
		if r.Downloads[0].From != s.URL+"/pub/f.bin" {
			t.Errorf("from %s", r.Downloads[0].From)
		}
	}
	for _, mirror := range []string{"ftp://host/", "host", "http://", ":"} {
		o := quick(t)
		o.Mirror = mirror
		if err := refused(t, plainSource(content, true, s.URL), o, "--mirror"); !errors.As(err, new(UsageError)) {
			t.Errorf("mirror %q: %T", mirror, err)
		}
	}

	secure := httptest.NewTLSServer(http.RedirectHandler(s.URL+"/pub/f.bin", http.StatusFound))
	defer secure.Close()
	refused(t, plainSource(content, true, secure.URL), quick(t), "certificate")
	o := quick(t)
	o.Client = secure.Client()
	o.Client.CheckRedirect = checkRedirect
	refused(t, plainSource(content, true, secure.URL), o, "from https to http")
	refused(t, plainSource(content, true, "http://no-such-host.invalid/f.bin"), quick(t), "no-such-host.invalid")
	refused(t, plainSource(content, true, strings.Replace(empty.URL, "http", "gopher", 1)), quick(t), "gopher")
}
