package calls

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/sliced-wasserstein/lab/internal/source"
)

// keepSettings say which value of a caller's function is meant.
type keepSettings struct {
	Name string `json:"name"`
	// Frames are those of the stack of the caller's program, a JSON list, innermost first, and Built the
	// time when it was built. With Code, which identifies the function's code, they are not read.
	Frames string `json:"frames"`
	Built  string `json:"built"`
	// Function tells several calls in one function apart; "" outside of functions.
	Function string `json:"function"`
	Code     string `json:"code"`
}

// keptKey is where a value of that name and code is kept.
func keptKey(r *Request) (s keepSettings, key string, err error) {
	if err := r.Apply(&s); err != nil {
		return s, "", err
	}
	if s.Code == "" {
		if s.Code, err = codeOf(s); err != nil {
			return s, "", err
		}
	}
	sum := sha256.Sum256([]byte(s.Name + "\x00" + s.Code))
	return s, hex.EncodeToString(sum[:12]), nil
}

// codeOf identifies the code of the caller's function by the source of its program.
func codeOf(s keepSettings) (string, error) {
	var frames []runtime.Frame
	if err := json.Unmarshal([]byte(s.Frames), &frames); err != nil || len(frames) == 0 {
		return "", fmt.Errorf("frames: expected those of a stack, found %q", s.Frames)
	}
	built, err := time.Parse(time.RFC3339Nano, s.Built)
	if err != nil {
		return "", fmt.Errorf("built: %w", err)
	}
	code, err := source.At("value "+s.Name, frames, built).Source()
	return code + " " + s.Function, err
}

// recall answers with a value that was kept, if there is one, and with the code of the function.
func recall(r *Request, a *Answer) error {
	s, key, err := keptKey(r)
	if err != nil {
		return err
	}
	a.Text = map[string]string{"code": s.Code}
	r.space.mu.Lock()
	defer r.space.mu.Unlock()
	if k := r.space.found[key]; k != nil {
		k.used = time.Now()
		a.Arrays = slices.Clone(k.answer.Arrays)
		a.Arrays[0].Ref = key + "/value"
	}
	return nil
}

// keep keeps the bytes of the array "value".
func keep(r *Request, _ *Answer) error {
	s, key, err := keptKey(r)
	if err != nil {
		return err
	}
	v := r.Array("value")
	if v == nil {
		return errors.New("value: expected an array")
	}
	k := &kept{key: key, done: make(chan struct{}), what: "keep " + s.Name, used: time.Now()}
	k.answer.Arrays = []Array{{Name: "value", DType: v.DType, Shape: v.Shape, Values: v.Values}}
	k.bytes = sizeOf(k.answer)
	close(k.done)
	r.space.mu.Lock()
	r.space.found[key] = k
	r.space.mu.Unlock()
	r.space.shrink(key)
	return nil
}
