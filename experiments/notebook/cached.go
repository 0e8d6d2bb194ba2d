package notebook

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/sliced-wasserstein/lab/internal/durable"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
)

// Cached returns the result of compute. It keeps it as NAME-HASH.json in the session's folder, so
// that a later cell, or the same cell run again, reads it. The hash is that of the key's JSON and of
// the code of what is registered ([loss.SourceOf]): the key must hold everything else that decides the
// result.
func Cached[T any](b *Session, name string, key any, compute func() (T, error)) (T, error) {
	raw, err := json.Marshal(key)
	if err != nil {
		return *new(T), err
	}
	code, err := registered()
	if err != nil {
		say(fmt.Sprintf("%s cannot be kept for later cells: %v", name, err))
	}
	sum := sha256.Sum256(append(raw, code...))
	path := filepath.Join(b.Out, name+"-"+hex.EncodeToString(sum[:4])+".json")
	kept, err := durable.Keep(path, func(err error) { say(fmt.Sprintf("%v; it is computed again", err)) }, func() (v cachedValue[T], err error) {
		v.Value, err = compute()
		return v, err
	})
	return kept.Value, err
}

// registered identifies the code of all that is registered and not this module's; "" without any.
func registered() (string, error) {
	var texts []string
	var errs []error
	for _, kind := range []struct {
		names    []string
		sourceOf func(string) (string, error)
	}{{loss.Names(), loss.SourceOf}, {slicing.Names(), slicing.SourceOf}, {amortizer.Names(), amortizer.SourceOf}} {
		for _, name := range kind.names {
			text, err := kind.sourceOf(name)
			texts, errs = append(texts, text), append(errs, err)
		}
	}
	return strings.Join(texts, ""), errors.Join(errs...)
}

// cachedValue is the content of a file of Cached.
type cachedValue[T any] struct {
	Value T `json:"value"`
}
