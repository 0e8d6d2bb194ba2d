// The page of the playground keeps no files.

//go:build !swlab_page

package catalogue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/sliced-wasserstein/lab/internal/durable"
)

const (
	partSuffix = ".part"
	maxUnknown = 64 << 30 // bounds a download whose size the catalogue does not know
	attempts   = 3        // at an address, without a new byte
)

// final marks a failure that another attempt at the same address would repeat.
type final struct{ error }

func (e final) Unwrap() error { return e.error }

// checkRedirect rejects redirects from a secure connection to an insecure one.
func checkRedirect(to *http.Request, via []*http.Request) error {
	switch {
	case via[len(via)-1].URL.Scheme == "https" && to.URL.Scheme != "https":
		return final{fmt.Errorf("redirected from https to %s: refused", to.URL)}
	case len(via) >= 10:
		return final{fmt.Errorf("redirected %d times: refused", len(via))}
	}
	return nil
}

// download gets a file from the first of its addresses that has it, and checks it. What has arrived
// of a file with a checksum stays, and the next attempt, also at another address, continues it.
func (o Options) download(ctx context.Context, file File, dir string) (Download, string, error) {
	part := filepath.Join(dir, file.Name+partSuffix)
	var err error
	for _, address := range file.URLs {
		var got Download
		if got, err = o.from(ctx, address, part, file); err == nil || ctx.Err() != nil {
			return got, part, err
		}
		err = fmt.Errorf("%s: %w", address, err)
		o.Note(err.Error())
	}
	return Download{}, "", err
}

// from gets one address completely, and checks it.
func (o Options) from(ctx context.Context, address, part string, want File) (Download, error) {
	again := false // from its beginning
	for fruitless := 1; ; fruitless++ {
		before := fileSize(part)
		resumed, err := o.attempt(ctx, address, part, want)
		if cause := context.Cause(ctx); cause != nil {
			return Download{}, cause
		}
		if err == nil {
			got, err := check(ctx, part, address, want)
			if err == nil || ctx.Err() != nil {
				return got, err
			}
			if err = errors.Join(err, os.Remove(part)); !resumed || again {
				return got, err
			}
			again = true
			o.Note(err.Error() + "; its pieces do not fit together, it starts again")
		} else if errors.As(err, new(final)) {
			return Download{}, err
		} else {
			o.Note(fmt.Sprintf("%s: %v; trying again", want.Name, err))
		}
		if fileSize(part) > before {
			fruitless = 0
		}
		if fruitless == attempts {
			return Download{}, fmt.Errorf("given up after %d attempts without a new byte: %w", attempts, err)
		}
	}
}

// attempt makes one request for what is missing of part, and writes what comes. Only a file whose
// checksum will tell in the end is continued.
func (o Options) attempt(ctx context.Context, address, part string, want File) (resumed bool, err error) {
	at := fileSize(part)
	if want.SHA256 == "" || want.Bytes > 0 && at > want.Bytes {
		at = 0
	}
	if at > 0 && at == want.Bytes {
		return true, nil // complete already, but not checked
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return false, final{err}
	}
	request.Header.Set("User-Agent", "swlab")
	request.Header.Set("Accept-Encoding", "identity") // a compressed answer could not be resumed
	if at > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", at))
	}
	answer, err := o.Client.Do(request)
	if err != nil {
		return false, err
	}
	defer answer.Body.Close()
	total, pieces := answer.ContentLength, answer.Header.Get("Content-Range")
	wrong := fmt.Errorf("the server answers %d %s", answer.StatusCode, strings.ToLower(http.StatusText(answer.StatusCode)))
	switch code := answer.StatusCode; {
	case code == http.StatusOK:
		at = 0
	case code == http.StatusPartialContent && strings.HasPrefix(pieces, fmt.Sprintf("bytes %d-", at)):
		if total >= 0 {
			total += at
		}
	case code == http.StatusPartialContent, code == http.StatusRequestedRangeNotSatisfiable: // the file has changed
		return false, errors.Join(fmt.Errorf("asked for bytes from %d, %w, bytes %q", at, wrong, pieces), os.Remove(part))
	case code >= 500 || code == http.StatusTooManyRequests || code == http.StatusRequestTimeout:
		return false, wrong
	default:
		return false, final{wrong}
	}
	if kind := answer.Header.Get("Content-Type"); strings.HasPrefix(kind, "text/html") {
		return false, final{fmt.Errorf("the server sends a web page (%s) instead of %s", kind, want.Name)}
	}
	if want.Bytes > 0 && total >= 0 && total != want.Bytes {
		return false, final{fmt.Errorf("expected a file of %d bytes, the server offers %d", want.Bytes, total)}
	}
	f, err := durable.Append(part, true)
	if err != nil {
		return false, final{err}
	}
	defer f.Close()
	if err := f.Truncate(at); err != nil {
		return false, final{err}
	}
	bound, done := cmp.Or(want.Bytes, maxUnknown), at
	body := io.TeeReader(io.LimitReader(answer.Body, bound-at+1), counter(func(n int) {
		done += int64(n)
		o.Progress(want.Name, done, max(total, want.Bytes))
	}))
	_, err = io.CopyBuffer(f, body, make([]byte, 1<<18))
	switch short := max(total, want.Bytes); {
	case errors.As(err, new(*durable.Error)):
		return false, final{err}
	case err != nil:
		return false, fmt.Errorf("the connection broke after %d bytes: %w", done, err)
	case done > bound:
		return false, errors.Join(final{fmt.Errorf("more than the expected %d bytes came: not the file of the catalogue",
			bound)}, os.Remove(part))
	case done < short:
		return false, fmt.Errorf("the answer ended after %d of %d bytes", done, short)
	}
	return at > 0, f.Close()
}

// counter is told how many bytes were written.
type counter func(n int)

func (c counter) Write(p []byte) (int, error) {
	c(len(p))
	return len(p), nil
}

func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
