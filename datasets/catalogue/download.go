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
	if last := via[len(via)-1].URL; last.Scheme == "https" && to.URL.Scheme != "https" {
		return final{fmt.Errorf("redirected from https to %s: refused", to.URL)}
	}
	if len(via) >= 10 {
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

// from gets one address completely. A file that was put together from pieces and has another checksum
// is downloaded once more.
func (o Options) from(ctx context.Context, address, part string, want File) (Download, error) {
	again := false
	for fruitless := 0; ; {
		before := fileSize(part)
		resumed, err := o.attempt(ctx, address, part, want)
		if cause := context.Cause(ctx); cause != nil {
			return Download{}, cause
		}
		if err == nil {
			got, err := check(ctx, part, address, want)
			if !errors.As(err, new(mismatchError)) {
				return got, err
			}
			if removing := os.Remove(part); removing != nil || !resumed || again {
				return got, errors.Join(err, removing)
			}
			again = true
			o.Note(want.Name + ": the pieces of the download do not fit together; it starts again")
			continue
		}
		if errors.As(err, new(final)) {
			return Download{}, err
		}
		if fruitless++; fileSize(part) > before {
			fruitless = 0
		}
		if fruitless == attempts {
			return Download{}, fmt.Errorf("given up after %d attempts without a new byte: %w", attempts, err)
		}
		o.Note(fmt.Sprintf("%s: %v; trying again", want.Name, err))
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
	total := answer.ContentLength
	switch code := answer.StatusCode; {
	case code == http.StatusOK:
		at = 0
	case code == http.StatusPartialContent:
		var first int64
		if n, _ := fmt.Sscanf(answer.Header.Get("Content-Range"), "bytes %d-", &first); n < 1 || first != at {
			return false, errors.Join(fmt.Errorf("asked for bytes from %d, the server sends %q", at,
				answer.Header.Get("Content-Range")), os.Remove(part))
		}
		if total >= 0 {
			total += at
		}
	case code == http.StatusRequestedRangeNotSatisfiable: // the file has changed
		return false, errors.Join(fmt.Errorf("the server has no bytes from %d", at), os.Remove(part))
	case code >= 500 || code == http.StatusTooManyRequests || code == http.StatusRequestTimeout:
		return false, fmt.Errorf("the server answers %d %s", code, strings.ToLower(http.StatusText(code)))
	default:
		return false, final{fmt.Errorf("the server answers %d %s", code, strings.ToLower(http.StatusText(code)))}
	}
	if kind := answer.Header.Get("Content-Type"); strings.HasPrefix(kind, "text/html") {
		return false, final{fmt.Errorf("the server sends a web page (%s) instead of %s", kind, want.Name)}
	}
	if want.Bytes > 0 && total >= 0 && total != want.Bytes {
		return false, final{fmt.Errorf("expected a file of %d bytes, the server offers %d", want.Bytes, total)}
	}
	f, err := durable.Append(part, true)
	if err != nil {
		return false, final{diskFull(err, part)}
	}
	defer f.Close()
	if err := f.Truncate(at); err != nil {
		return false, final{diskFull(err, part)}
	}
	bound := cmp.Or(want.Bytes, maxUnknown)
	done := at
	for buffer := make([]byte, 1<<18); ; {
		n, reading := answer.Body.Read(buffer)
		if done += int64(n); done > bound {
			return false, errors.Join(final{fmt.Errorf("more than the expected %d bytes came: not the file of the catalogue",
				bound)}, os.Remove(part))
		}
		if _, err := f.Write(buffer[:n]); err != nil {
			return false, final{diskFull(err, part)}
		}
		o.Progress(want.Name, done, max(total, want.Bytes))
		if reading == io.EOF {
			break
		}
		if reading != nil {
			return false, fmt.Errorf("the connection broke after %d bytes: %w", done, reading)
		}
	}
	if short := max(total, want.Bytes); done < short {
		return false, fmt.Errorf("the answer ended after %d of %d bytes", done, short)
	}
	return at > 0, f.Close()
}

func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
