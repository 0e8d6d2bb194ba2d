package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestDownload: the file comes whole through every fault that another attempt can mend.
func TestDownload(t *testing.T) {
	const size = 1_000_000
	content := noise(size)
	cut := func(s *site, w http.ResponseWriter, r *http.Request, bytes int) bool {
		s.serve(&cutter{w, bytes}, r)
		return true
	}
	for name, c := range map[string]struct {
		blind    bool // nothing is known of the file beforehand
		behave   func(s *site, w http.ResponseWriter, r *http.Request, n int) bool
		requests []string
	}{
		"at once":                {requests: []string{""}},
		"at once, nothing known": {blind: true, requests: []string{""}},
		"cut twice": {behave: func(s *site, w http.ResponseWriter, r *http.Request, n int) bool {
			return n < 2 && cut(s, w, r, 300_000)
		}, requests: []string{"", "bytes=300000-", "bytes=600000-"}},
		"cut twice, nothing known": {blind: true, behave: func(s *site, w http.ResponseWriter, r *http.Request, n int) bool {
			return n < 2 && cut(s, w, r, 300_000)
		}, requests: []string{"", "bytes=300000-", "bytes=600000-"}},
		"cut often": {behave: func(s *site, w http.ResponseWriter, r *http.Request, n int) bool {
			return n < 9 && cut(s, w, r, 100_000)
		}, requests: nil},
		"cut, no ETag, nothing known: starts again": {blind: true, behave: func(s *site, w http.ResponseWriter, r *http.Request, n int) bool {
			s.etag = ""
			return n < 1 && cut(s, w, r, 300_000)
		}, requests: []string{"", ""}},
		"cut, no ETag, but a checksum": {behave: func(s *site, w http.ResponseWriter, r *http.Request, n int) bool {
			s.etag = ""
			return n < 1 && cut(s, w, r, 300_000)
		}, requests: []string{"", "bytes=300000-"}},
		"cut, a weak ETag, nothing known": {blind: true, behave: func(s *site, w http.ResponseWriter, r *http.Request, n int) bool {
			s.etag = `W/"one"`
			return n < 1 && cut(s, w, r, 300_000)
		}, requests: []string{"", ""}},
		"a server without ranges": {behave: func(s *site, w http.ResponseWriter, r *http.Request, n int) bool {
			if n == 0 {
				return cut(s, w, r, 300_000)
			}
			s.whole(w)
			return true
		}, requests: []string{"", "bytes=300000-"}},
		"busy twice": {behave: func(s *site, w http.ResponseWriter, r *http.Request, n int) bool {
			if n < 2 {
				w.WriteHeader([]int{503, 429}[n])
			}
			return n < 2
		}, requests: []string{"", "", ""}},
		"too short by its own length": {behave: func(s *site, w http.ResponseWriter, r *http.Request, n int) bool {
			if n == 0 {
				w.Header().Set("ETag", s.etag)
				w.Header().Set("Content-Length", fmt.Sprint(size))
				w.Write(content[:200_000])
			}
			return n == 0
		}, requests: []string{"", "bytes=200000-"}},
		"an end without length": {behave: func(s *site, w http.ResponseWriter, r *http.Request, n int) bool {
			if n == 0 { // chunked, and properly ended
				w.Header().Set("ETag", s.etag)
				w.Write(content[:200_000])
				w.(http.Flusher).Flush()
			}
			return n == 0
		}, requests: []string{"", "bytes=200000-"}},
		"another range than asked for": {behave: func(s *site, w http.ResponseWriter, r *http.Request, n int) bool {
			switch n {
			case 0:
				return cut(s, w, r, 300_000)
			case 1:
				w.Header().Set("Content-Range", "bytes 5-999999/1000000")
				w.WriteHeader(http.StatusPartialContent)
				w.Write(content[5:])
				return true
			}
			return false
		}, requests: []string{"", "bytes=300000-", ""}},
		"range refused": {behave: func(s *site, w http.ResponseWriter, r *http.Request, n int) bool {
			switch n {
			case 0:
				return cut(s, w, r, 300_000)
			case 1:
				w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
				return true
			}
			return false
		}, requests: []string{"", "bytes=300000-", ""}},
		"the first piece was corrupt": {behave: func(s *site, w http.ResponseWriter, r *http.Request, n int) bool {
			if n == 0 {
				bad := slices.Clone(content)
				bad[7] ^= 1
				(&site{content: bad, etag: s.etag}).serve(&cutter{w, 300_000}, r)
			}
			return false
		}, requests: []string{"", "bytes=300000-", ""}},
		"redirected": {behave: func(s *site, w http.ResponseWriter, r *http.Request, n int) bool {
			if n == 0 {
				http.Redirect(w, r, "/elsewhere", http.StatusFound)
			}
			return n == 0
		}, requests: []string{"", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, content)
			if c.behave != nil {
				s.behave = func(w http.ResponseWriter, r *http.Request, n int) bool { return c.behave(s, w, r, n) }
			}
			seen := int64(0)
			o := quick(t)
			o.Progress = func(_ string, done, total int64) {
				if seen = done; total != size && total != -1 {
					t.Errorf("progress %d of %d", done, total)
				}
			}
			r := fetched(t, plainSource(content, !c.blind, s.URL+"/f.bin"), o, content)
			if got := s.requests(); c.requests != nil && !slices.Equal(got, c.requests) {
				t.Errorf("requests for %q, expected %q", got, c.requests)
			}
			if want := map[bool]string{false: "catalogue", true: "first use"}[c.blind]; r.Checksum != want || r.SHA256 != sumOf(content) || r.Bytes != size || seen != size {
				t.Errorf("record %+v, %d bytes seen", r, seen)
			}
		})
	}
}

// TestDownloadRefused: what another attempt cannot mend ends with an error that says what was expected and found.
func TestDownloadRefused(t *testing.T) {
	content := noise(100_000)
	always := func(f func(s *site, w http.ResponseWriter, r *http.Request)) func(s *site, w http.ResponseWriter, r *http.Request, n int) bool {
		return func(s *site, w http.ResponseWriter, r *http.Request, _ int) bool { f(s, w, r); return true }
	}
	for name, c := range map[string]struct {
		blind    bool
		behave   func(s *site, w http.ResponseWriter, r *http.Request, n int) bool
		texts    []string
		requests int
	}{
		"not found": {behave: always(func(_ *site, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) }), texts: []string{"/f.bin", "404 not found"}, requests: 1},
		"broken":    {behave: always(func(_ *site, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }), texts: []string{"given up after 3", "500"}, requests: 3},
		"corrupt": {behave: always(func(s *site, w http.ResponseWriter, r *http.Request) {
			bad := slices.Clone(content)
			bad[99_999] ^= 1
			(&site{content: bad}).serve(w, r)
		}), texts: []string{sumOf(content), "the test", "refused"}, requests: 1},
		"corrupt and cut": {behave: func(s *site, w http.ResponseWriter, r *http.Request, n int) bool {
			bad := slices.Clone(content)
			bad[0] ^= 1
			s.content = bad
			if n%2 == 0 {
				w = &cutter{w, 50_000}
			}
			s.serve(w, r)
			return true
		}, texts: []string{"SHA-256", "refused"}, requests: 4},
		"another length": {behave: always(func(_ *site, w http.ResponseWriter, _ *http.Request) { w.Write(content[:77]) }), texts: []string{"100000 bytes", "offers 77"}, requests: 1},
		"too long, length not said": {behave: always(func(_ *site, w http.ResponseWriter, _ *http.Request) {
			for range 3 {
				w.Write(content)
				w.(http.Flusher).Flush()
			}
		}), texts: []string{"more than the expected 100000"}, requests: 1},
		"always cut at the same place": {blind: true, behave: always(func(s *site, w http.ResponseWriter, _ *http.Request) { s.whole(&cutter{w, 50_000}) }), texts: []string{"given up after 3", "broke after 50000"}, requests: 4},
		"a web page": {blind: true, behave: always(func(_ *site, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, "<html>sign in</html>")
		}), texts: []string{"web page", "f.bin"}, requests: 1},
		"compressed": {blind: true, behave: always(func(_ *site, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "br")
			w.Write(content)
		}), texts: []string{"encoded as br"}, requests: 1},
		"in a circle": {behave: always(func(_ *site, w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) }), texts: []string{"redirected 10 times"}, requests: 10},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, content)
			s.behave = func(w http.ResponseWriter, r *http.Request, n int) bool { return c.behave(s, w, r, n) }
			refused(t, plainSource(content, !c.blind, s.URL+"/f.bin"), quick(t), c.texts...)
			if n := len(s.requests()); n != c.requests {
				t.Errorf("%d requests, expected %d", n, c.requests)
			}
		})
	}
}

// TestStall: a connection that gives nothing is given up and taken up again; one that never gives anything is an error.
func TestStall(t *testing.T) {
	content := noise(100_000)
	half := func(s *site, w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", s.etag)
		w.Header().Set("Content-Length", fmt.Sprint(len(content)))
		w.Write(content[:50_000])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
	s := newSite(t, content)
	s.behave = func(w http.ResponseWriter, r *http.Request, n int) bool {
		if n == 0 {
			half(s, w, r)
		}
		return n == 0
	}
	o := quick(t)
	o.Stall = 50 * time.Millisecond
	fetched(t, plainSource(content, true, s.URL), o, content)
	if got := s.requests(); !slices.Equal(got, []string{"", "bytes=50000-"}) {
		t.Errorf("requests for %q", got)
	}

	for name, behave := range map[string]func(w http.ResponseWriter, r *http.Request, n int) bool{
		"before the answer": func(_ http.ResponseWriter, r *http.Request, _ int) bool { <-r.Context().Done(); return true },
		"within":            func(w http.ResponseWriter, r *http.Request, _ int) bool { half(s, w, r); return true },
	} {
		t.Run(name, func(t *testing.T) {
			silent := newSite(t, content)
			silent.behave = behave
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

// TestSlowIsNotStalled: what counts is the pause between two bytes, not the whole time.
func TestSlowIsNotStalled(t *testing.T) {
	content := []byte("xxxxxxxxxx")
	for pause, stalled := range map[time.Duration]bool{29 * time.Second: false, 31 * time.Second: true} {
		synctest.Test(t, func(t *testing.T) {
			o := Options{Cache: t.TempDir(), Client: &http.Client{Transport: &slowly{pause, 10}}} // with the default times
			began := time.Now()
			if stalled {
				refused(t, plainSource(content, true, "http://host/f.bin"), o, "given up after 5", "no byte came for 30s")
				if took := time.Since(began); took != 165*time.Second { // five times 30 s and pauses of 1, 2, 4, 8 s
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

// TestChangedFile: pieces of two versions of a file are not put together.
func TestChangedFile(t *testing.T) {
	old, content := noise(100_000), noise(100_001)
	s := newSite(t, content)
	s.behave = func(w http.ResponseWriter, r *http.Request, n int) bool {
		if n == 0 {
			(&site{content: old, etag: `"zero"`}).serve(&cutter{w, 60_000}, r)
		}
		return false
	}
	fetched(t, plainSource(nil, false, s.URL), quick(t), content)
	if got := s.requests(); !slices.Equal(got, []string{"", "bytes=60000-"}) {
		t.Errorf("requests for %q", got)
	}
}

// TestInterrupted: what came before an interruption is used by the next call, as is a download that was complete but not
// checked; the rest of another address is not.
func TestInterrupted(t *testing.T) {
	content := noise(600_000)
	s := newSite(t, content)
	o := quick(t)
	ctx, cancel := context.WithCancel(context.Background())
	s.behave = func(w http.ResponseWriter, r *http.Request, n int) bool {
		if n == 0 {
			w.Header().Set("ETag", s.etag)
			w.Header().Set("Content-Length", fmt.Sprint(len(content)))
			w.Write(content[:250_000])
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}
		return n == 0
	}
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
	if got := s.requests(); !slices.Equal(got, []string{"", "bytes=250000-"}) {
		t.Errorf("requests for %q", got)
	}

	o = quick(t)
	part := filepath.Join(source.Dir(o.Cache), "f.bin.part")
	if err := os.MkdirAll(filepath.Dir(part), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{os.WriteFile(part, content, 0o644), os.WriteFile(part+".json", []byte(`{"URL":"`+s.URL+`","ETag":"\"one\"","Total":600000}`), 0o644)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	fetched(t, source, o, content)
	if n := len(s.requests()); n != 2 {
		t.Errorf("%d requests after a complete download", n)
	}

	other := newSite(t, content)
	o = quick(t)
	part = filepath.Join(source.Dir(o.Cache), "f.bin.part")
	if err := os.MkdirAll(filepath.Dir(part), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{os.WriteFile(part, noise(300_000), 0o644), os.WriteFile(part+".json", []byte(`{"URL":"`+s.URL+`","ETag":"\"one\"","Total":600000}`), 0o644)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	fetched(t, plainSource(content, false, other.URL), o, content)
	if got := other.requests(); !slices.Equal(got, []string{""}) {
		t.Errorf("requests for %q", got)
	}
}

// TestAddresses: a mirror replaces the addresses; without one they are tried in order; https is not given up on the way.
func TestAddresses(t *testing.T) {
	content := noise(1000)
	s := newSite(t, content)
	empty := httptest.NewServer(http.NotFoundHandler())
	defer empty.Close()
	fetched(t, plainSource(content, true, empty.URL+"/f.bin", s.URL+"/f.bin"), quick(t), content)

	for _, mirror := range []string{"/pub/", "/pub", "/pub/f.bin"} {
		s.behave = func(_ http.ResponseWriter, r *http.Request, _ int) bool {
			if r.URL.Path != "/pub/f.bin" {
				t.Errorf("mirror %s: asked for %s", mirror, r.URL.Path)
			}
			return false
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
		if err := refused(t, plainSource(content, true, s.URL), o, "--mirror"); !errors.As(err, new(CallError)) {
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
