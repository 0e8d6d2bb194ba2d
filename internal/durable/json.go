package durable

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// The last member of an object that EncodeJSON writes is the SHA-256 of all bytes before it.
const (
	sealBegin = ",\n  \"sha256\": \""
	sealEnd   = "\"\n}\n"
	sealSize  = len(sealBegin) + 2*sha256.Size + len(sealEnd)
)

// WriteJSON replaces the file at path by v as [EncodeJSON] writes it.
func WriteJSON(path string, v any) error {
	return Write(path, func(w io.Writer) error { return EncodeJSON(w, v) })
}

// EncodeJSON writes v as indented JSON. An object gets a last member "sha256", by which [ReadJSON]
// finds out that the file was damaged.
func EncodeJSON(w io.Writer, v any) error {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	raw = append(raw, '\n')
	if head, isObject := bytes.CutSuffix(raw, []byte("\n}\n")); isObject && raw[0] == '{' {
		raw = append(append(bytes.Clone(head), seal(head)...), sealEnd...)
	}
	_, err = w.Write(raw)
	return err
}

func seal(head []byte) string {
	sum := sha256.Sum256(head)
	return sealBegin + hex.EncodeToString(sum[:])
}

// ReadJSON reads a file that WriteJSON wrote, or any other JSON ([UnmarshalJSON]). sealed reports whether it has a
// checksum, which then is right: a wrong one is an error that names the file.
func ReadJSON(path string, v any) (sealed bool, err error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return false, err
	}
	at := max(len(raw)-sealSize, 0)
	if tail := raw[at:]; bytes.HasPrefix(tail, []byte(sealBegin)) && bytes.HasSuffix(tail, []byte(sealEnd)) {
		if string(tail) != seal(raw[:at])+sealEnd {
			return false, fmt.Errorf("%s: its content does not have the SHA-256 at its end: the file is damaged or was edited", path)
		}
		raw, sealed = append(bytes.Clone(raw[:at]), "\n}\n"...), true
	}
	if err := UnmarshalJSON(raw, v); err != nil {
		return false, fmt.Errorf("%s: %w", path, err)
	}
	return sealed, nil
}

// Keep returns what the file at path holds, a value that is computed once. If there is no file,
// Keep calls compute and writes its value, an object in JSON, with a checksum, in a folder that it
// makes. A damaged file, or one without a checksum, is computed again, which damaged hears of if it
// is not nil. A value that JSON cannot hold, with an infinity or NaN, is not kept. What a killed
// process has left of the file is removed; of processes that write it at once, any may win.
func Keep[T any](path string, damaged func(error), compute func() (T, error)) (T, error) {
	var kept T
	sealed, err := ReadJSON(path, &kept)
	if err == nil && sealed {
		return kept, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) && damaged != nil {
		damaged(err)
	}
	v, err := compute()
	if err != nil {
		return v, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return v, err
	}
	if err := RemoveTemporary(path); err != nil {
		return v, err
	}
	// Another process may remove the temporary file of this one in the same way, each once.
	for range 10 {
		if err = WriteJSON(path, v); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if errors.As(err, new(*json.UnsupportedValueError)) {
		err = nil
	}
	return v, err
}

// UnmarshalJSON is [json.Unmarshal], but an object with a key twice is an error: programs disagree
// about which one counts.
func UnmarshalJSON(raw []byte, v any) error {
	if err := json.Unmarshal(raw, v); err != nil {
		return err
	}
	return uniqueKeys(json.NewDecoder(bytes.NewReader(raw)))
}

// uniqueKeys reads one value.
func uniqueKeys(d *json.Decoder) error {
	token, err := d.Token()
	if err != nil || token != json.Delim('{') && token != json.Delim('[') {
		return err
	}
	seen := map[json.Token]bool{}
	for d.More() {
		if token == json.Delim('{') {
			key, err := d.Token()
			if err != nil {
				return err
			}
			if seen[key] {
				return fmt.Errorf("the key %q occurs twice", key)
			}
			seen[key] = true
		}
		if err := uniqueKeys(d); err != nil {
			return err
		}
	}
	_, err = d.Token() // the end
	return err
}
