package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/sliced-wasserstein/lab/datasets"
)

const (
	partSuffix = ".part"
	metaSuffix = ".json"
)

// permanentError marks a failure that another attempt would repeat.
type permanentError struct{ error }

func (e permanentError) Unwrap() error { return e.error }

func permanentf(format string, args ...any) error {
	return permanentError{fmt.Errorf(format, args...)}
}

// mirrored returns the address of a file on a mirror: the mirror itself if it ends in the file's
// name, else that name below it.
func mirrored(mirror, name string, single bool) (string, error) {
	u, err := url.Parse(mirror)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", usageErrorf("--mirror %q: expected an address that begins with http:// or https://", mirror)
	}
	if single && path.Base(u.Path) == name {
		return mirror, nil
	}
	return u.JoinPath(name).String(), nil
}

// checkRedirect rejects redirects from a secure connection to an insecure one.
func checkRedirect(to *http.Request, via []*http.Request) error {
	if last := via[len(via)-1].URL; last.Scheme == "https" && to.URL.Scheme != "https" {
		return permanentf("redirected from https to %s: refused", to.URL)
	}
	if len(via) >= 10 {
		return permanentf("redirected %d times: refused", len(via))
	}
	return nil
}

// taker downloads a file from the first of the addresses that has it.
func (o Options) taker(addresses ...string) take {
	return func(ctx context.Context, file datasets.File, dir string) (Download, string, error) {
		part := filepath.Join(dir, file.Name+partSuffix)
		var failures []error
		for _, address := range addresses {
			got, err := o.download(ctx, address, part, file)
			if err == nil || ctx.Err() != nil {
				return got, part, err
			}
			failures = append(failures, err)
			o.Note(err.Error())
		}
		return Download{}, "", failures[len(failures)-1]
	}
}

// download gets one address completely, and checked, into the file part.
func (o Options) download(ctx context.Context, address, part string, want datasets.File) (Download, error) {
	for again := false; ; again = true {
		resumed, err := o.retry(ctx, address, part, want)
		if err != nil {
			return Download{}, err
		}
		got, err := check(ctx, part, address, want)
		if !errors.As(err, new(mismatchError)) {
			return got, err
		}
		if removing := discard(part); removing != nil {
			return Download{}, removing
		}
		if !resumed || again {
			return Download{}, err
		}
		o.Note(want.Name + ": the pieces of the download do not fit together; it starts again")
	}
}

// retry attempts the download until it is complete. Every attempt resumes the last one if the
// server supports it. resumed reports whether part was assembled from several answers.
func (o Options) retry(ctx context.Context, address, part string, want datasets.File) (resumed bool, err error) {
	furthest, fruitless := int64(0), 0
	for {
		from, err := o.attempt(ctx, address, part, want)
		resumed = from > 0
		if err == nil {
			return resumed, nil
		}
		if cause := context.Cause(ctx); cause != nil {
			return resumed, cause
		}
		if final(err) {
			return resumed, fmt.Errorf("%s: %w", address, err)
		}
		if size := fileSize(part); size > furthest {
			furthest, fruitless = size, 0
		} else {
			fruitless++
		}
		if fruitless >= o.Retries {
			return resumed, fmt.Errorf("%s: given up after %d attempts without a new byte: %w", address, fruitless, err)
		}
		o.Note(fmt.Sprintf("%s: %v; trying again", want.Name, err))
		select {
		case <-ctx.Done():
			return resumed, context.Cause(ctx)
		case <-time.After(o.Backoff << min(max(fruitless-1, 0), 5)):
		}
	}
}

// final reports whether another attempt would be useless.
func final(err error) bool {
	var certificate *tls.CertificateVerificationError
	var name *net.DNSError
	return errors.As(err, new(permanentError)) || errors.As(err, &certificate) || errors.As(err, &name) && name.IsNotFound
}

func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// discard removes a download and what is known about it.
func discard(part string) error {
	return errors.Join(remove(part), remove(part+metaSuffix))
}

// remove removes a file that need not exist.
func remove(name string) error {
	if err := os.Remove(name); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// statusError describes the status that a server answered instead of a file.
func statusError(code int) error {
	err := fmt.Errorf("the server answers %d %s", code, strings.ToLower(http.StatusText(code)))
	if code >= 500 || code == http.StatusTooManyRequests || code == http.StatusRequestTimeout || code == http.StatusTooEarly {
		return err
	}
	return permanentError{err}
}
