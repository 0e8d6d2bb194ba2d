//go:build !swlab_cell

package lab

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/sliced-wasserstein/lab/experiments/calls"
)

// space holds what this program's own calls have found.
var space = sync.OnceValue(func() *calls.Space { return calls.NewSpace("", 0) })

func init() {
	local = func(raw []byte, interrupted <-chan struct{}, show func([]byte)) []byte {
		var r calls.Request
		check(json.Unmarshal(raw, &r))
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		go func() {
			select {
			case <-interrupted:
				cancel()
			case <-ctx.Done():
			}
		}()
		a := space().Respond(ctx, r, func(e calls.Event) {
			line, err := json.Marshal(e)
			check(err)
			show(line)
		})
		out, err := json.Marshal(a)
		check(err)
		return out
	}
}
