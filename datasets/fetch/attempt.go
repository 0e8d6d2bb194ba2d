package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/internal/durable"
)

// maxUnknown bounds a download whose size the catalogue does not know.
const maxUnknown = 64 << 30

// meta is what a server said about the file of a partial download.
type meta struct {
	URL          string
	ETag         string `json:",omitempty"`
	LastModified string `json:",omitempty"`
	Total        int64  // -1: unknown
}

// validator returns what If-Range accepts: a strong ETag, or else the date.
func (m meta) validator() string {
	if m.ETag != "" && !strings.HasPrefix(m.ETag, "W/") {
		return m.ETag
	}
	return m.LastModified
}

func readMeta(part string) meta {
	var m meta
	if _, err := durable.ReadJSON(part+metaSuffix, &m); err != nil {
		return meta{}
	}
	return m
}

// attempt makes one request for what is missing of part, and writes what comes. from is where it
// began: 0 for the whole file.
//
// An existing part is kept if it has the same address and the server can be asked whether the file
// is unchanged (If-Range), or if a checksum will tell in the end. Otherwise the download starts
// over.
func (o Options) attempt(ctx context.Context, address, part string, want datasets.File) (from int64, err error) {
	said, from := readMeta(part), fileSize(part)
	if said.URL != address || said.validator() == "" && want.SHA256 == "" || want.Bytes > 0 && from > want.Bytes {
		from = 0
	}
	if from > 0 && (from == want.Bytes || from == said.Total) {
		return from, nil // complete already, but not checked
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stalled := fmt.Errorf("no byte came for %v", o.Stall)
	watch := time.AfterFunc(o.Stall, func() { cancel(stalled) })
	defer watch.Stop()
	explain := func(err error) error {
		if cause := context.Cause(ctx); errors.Is(cause, stalled) {
			return cause
		}
		// The caller names the address.
		if onURL := (*url.Error)(nil); errors.As(err, &onURL) {
			return onURL.Err
		}
		return err
	}

	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return from, permanentError{err}
	}
	request.Header.Set("User-Agent", "swlab")
	request.Header.Set("Accept-Encoding", "identity") // a compressed answer could not be resumed
	if from > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", from))
		if v := said.validator(); v != "" {
			request.Header.Set("If-Range", v)
		}
	}
	answer, err := o.Client.Do(request)
	if err != nil {
		return from, explain(err)
	}
	defer answer.Body.Close()
	now := meta{URL: address, ETag: answer.Header.Get("ETag"), LastModified: answer.Header.Get("Last-Modified")}
	switch answer.StatusCode {
	case http.StatusOK:
		from, now.Total = 0, answer.ContentLength
	case http.StatusPartialContent:
		var first, last int64
		text := answer.Header.Get("Content-Range")
		if n, _ := fmt.Sscanf(text, "bytes %d-%d/%d", &first, &last, &now.Total); n < 2 || first != from {
			return 0, errors.Join(fmt.Errorf("asked for bytes from %d, the server sends %q", from, text), discard(part))
		} else if n == 2 {
			now.Total = -1
		}
	case http.StatusRequestedRangeNotSatisfiable: // the file has changed
		return 0, errors.Join(fmt.Errorf("the server has no bytes from %d", from), discard(part))
	default:
		return from, statusError(answer.StatusCode)
	}
	if err := expected(answer, now.Total, want); err != nil {
		return from, err
	}
	f, err := durable.Append(part, true)
	if err != nil {
		return from, permanentError{diskFull(err, part)}
	}
	defer f.Close()
	// First the old bytes go: with the new description they would count as the beginning of the new file.
	if err := f.Truncate(from); err != nil {
		return from, permanentError{diskFull(err, part)}
	}
	if err := durable.WriteJSON(part+metaSuffix, now); err != nil {
		return from, permanentError{diskFull(err, part)}
	}
	bound := cmp.Or(want.Bytes, maxUnknown)
	done, buffer := from, make([]byte, 1<<18)
	for {
		n, reading := answer.Body.Read(buffer)
		watch.Reset(o.Stall)
		if done += int64(n); done > bound {
			return from, errors.Join(permanentf("more than the expected %d bytes came: not the file of the catalogue", bound), discard(part))
		}
		if _, err := f.Write(buffer[:n]); err != nil {
			return from, permanentError{diskFull(err, part)}
		}
		o.Progress(want.Name, done, max(now.Total, want.Bytes))
		if reading == io.EOF {
			break
		}
		if reading != nil {
			return from, fmt.Errorf("the connection broke after %d bytes: %w", done, explain(reading))
		}
	}
	if short := max(now.Total, want.Bytes); done < short {
		return from, fmt.Errorf("the answer ended after %d of %d bytes", done, short)
	}
	if err := f.Sync(); err != nil {
		return from, permanentError{diskFull(err, part)}
	}
	return from, f.Close()
}

// expected checks an answer before its body is read.
func expected(answer *http.Response, total int64, want datasets.File) error {
	if e := answer.Header.Get("Content-Encoding"); e != "" && e != "identity" {
		return permanentf("the server sends the file encoded as %s: not supported", e)
	}
	if kind := answer.Header.Get("Content-Type"); strings.HasPrefix(kind, "text/html") {
		return permanentf("the server sends a web page (%s) instead of %s", kind, want.Name)
	}
	if want.Bytes > 0 && total >= 0 && total != want.Bytes {
		return permanentf("expected a file of %d bytes, the server offers %d", want.Bytes, total)
	}
	return nil
}
