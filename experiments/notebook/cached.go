package notebook

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/sliced-wasserstein/lab/internal/durable"
)

// Cached returns the result of compute. It keeps it as NAME-HASH.json in the session's folder, so
// that a later cell, or the same cell run again, reads it. The hash is that of the key's JSON: the
// key must hold everything that decides the result.
func Cached[T any](b *Session, name string, key any, compute func() (T, error)) (T, error) {
	var v T
	if err := b.opened(); err != nil {
		return v, err
	}
	if compute == nil {
		return v, errNothing
	}
	raw, err := json.Marshal(key)
	if err != nil {
		return v, err
	}
	sum := sha256.Sum256(raw)
	path := filepath.Join(b.Out, name+"-"+hex.EncodeToString(sum[:4])+".json")
	if raw, err := os.ReadFile(path); err == nil && json.Unmarshal(raw, &v) == nil {
		return v, nil
	}
	if v, err = compute(); err != nil {
		return v, err
	}
	return v, durable.WriteJSON(path, v)
}
