package catalogue

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/janpfeifer/must"
)

// site is a server of one file.
type site struct {
	*httptest.Server
	content []byte
	answers []answer // to the first requests; nil: as by a correct server
	after   answer   // to those that follow
	mu      sync.Mutex
	ranges  []string // the Range header of every request
}

// answer is how a site answers a request.
type answer func(s *site, w http.ResponseWriter, r *http.Request)

func newSite(t *testing.T, content []byte, answers ...answer) *site {
	s := &site{content: content, answers: answers, after: (*site).serve}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	n, how := len(s.ranges), s.after
	s.ranges = append(s.ranges, r.Header.Get("Range"))
	s.mu.Unlock()
	if n < len(s.answers) {
		how = s.answers[n]
	}
	how(s, w, r)
}

// serve answers like a correct server.
func (s *site) serve(w http.ResponseWriter, r *http.Request) {
	http.ServeContent(w, r, "f.bin", time.Time{}, bytes.NewReader(s.content))
}

// serving answers like a correct server with other content.
func serving(content []byte) answer {
	return func(_ *site, w http.ResponseWriter, r *http.Request) {
		(&site{content: content}).serve(w, r)
	}
}

// cut breaks the connection after that many bytes of an answer.
func cut(bytes int, how answer) answer {
	return func(s *site, w http.ResponseWriter, r *http.Request) { how(s, &cutter{w, bytes}, r) }
}

// status answers with a status and nothing else.
func status(code int) answer {
	return func(_ *site, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// sends answers with bytes in pieces, and no length.
func sends(pieces ...[]byte) answer {
	return func(s *site, w http.ResponseWriter, _ *http.Request) {
		for _, p := range pieces {
			w.Write(p)
			w.(http.Flusher).Flush()
		}
	}
}

// under adds a header to an answer.
func under(key, value string, how answer) answer {
	return func(s *site, w http.ResponseWriter, r *http.Request) {
		w.Header().Set(key, value)
		how(s, w, r)
	}
}

// hangs begins an answer with that many bytes, and then sends nothing more.
func hangs(bytes int) answer {
	return func(s *site, w http.ResponseWriter, r *http.Request) {
		under("Content-Length", fmt.Sprint(len(s.content)), sends(s.content[:bytes]))(s, w, r)
		<-r.Context().Done()
	}
}

// flipped is content with a bit of one byte changed.
func flipped(content []byte, at int) []byte {
	bad := bytes.Clone(content)
	bad[at] ^= 1
	return bad
}

// whole answers with the whole file, whatever was requested.
func (s *site) whole(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", fmt.Sprint(len(s.content)))
	w.Write(s.content)
}

// cutter breaks the connection after that many bytes of the body.
type cutter struct {
	http.ResponseWriter
	left int
}

func (c *cutter) Write(p []byte) (int, error) {
	if len(p) > c.left {
		c.ResponseWriter.Write(p[:c.left])
		c.ResponseWriter.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	c.left -= len(p)
	return c.ResponseWriter.Write(p)
}

func (s *site) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.ranges...)
}

// noise is content that does not compress.
func noise(n int) []byte {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func sumOf(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// plainSource is a data set of one file without an archive. sum says whether size and checksum are
// known.
func plainSource(content []byte, sum bool, urls ...string) Source {
	f := File{Name: "f.bin", URLs: urls}
	if sum {
		f.Bytes, f.SHA256, f.Recorded = int64(len(content)), sumOf(content), "the test"
	}
	return Source{Name: "toy", Licence: "free", Files: []File{f}, Root: "f.bin"}
}

// put writes a file and the folders around it.
func put(t *testing.T, path string, data []byte) {
	t.Helper()
	must.M(os.MkdirAll(filepath.Dir(path), 0o755))
	must.M(os.WriteFile(path, data, 0o644))
}

// quick returns options for tests.
func quick(t *testing.T) Options {
	return Options{Cache: t.TempDir(), AcceptLicence: true, Note: func(text string) { t.Log("note:", text) }, Progress: func(string, int64, int64) {}}
}

// fetched must succeed with this content.
func fetched(t *testing.T, source Source, o Options, content []byte) *Record {
	t.Helper()
	r := must.M1(Fetch(context.Background(), source, o))
	if got, err := os.ReadFile(r.Path()); err != nil || !bytes.Equal(got, content) {
		t.Fatalf("%d bytes of content, expected %d (%v)", len(got), len(content), err)
	}
	if problems, err := r.Verify(context.Background(), o.Progress); err != nil || problems != nil {
		t.Errorf("verified: %v, %v", problems, err)
	}
	left, err := os.ReadDir(source.Dir(o.Cache))
	if err != nil || len(left) != 2 {
		t.Errorf("in the cache: %v, %v", left, err)
	}
	return r
}

// refused must fail with an error that contains all texts, and leave no data behind.
func refused(t *testing.T, source Source, o Options, texts ...string) error {
	t.Helper()
	_, err := Fetch(context.Background(), source, o)
	wantError(t, err, texts...)
	for _, name := range []string{FilesName, ".unpack", RecordName} {
		if _, err := os.Stat(filepath.Join(source.Dir(o.Cache), name)); err == nil {
			t.Errorf("%s was left behind", name)
		}
	}
	return err
}

// zipOf is a zip archive of these names and contents, in order.
func zipOf(t testing.TB, pairs ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(pairs); i += 2 {
		must.M1(must.M1(w.Create(pairs[i])).Write([]byte(pairs[i+1])))
	}
	must.M(w.Close())
	return b.Bytes()
}
