package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"syscall/js"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments/calls"
)

// kept is how many bytes of answers the page keeps.
const kept = 128 << 20

// main runs in a worker of the page. It answers its messages {id, question, data}, a request of package calls and
// the bytes of its arrays, one after the other by {id, answer, data}.
func main() {
	space := calls.NewSpace("", kept)
	messages := make(chan js.Value, 64)
	js.Global().Set("onmessage", js.FuncOf(func(_ js.Value, args []js.Value) any {
		m := args[0].Get("data")
		if file := m.Get("path"); !file.IsUndefined() { // the reader gave a file
			js.Global().Get("files").Set(file.String(), m.Get("bytes"))
			return nil
		}
		go func() { messages <- m }()
		return nil
	}))
	planar := slices.Sorted(maps.Keys(planar))
	js.Global().Call("postMessage", map[string]any{"shapes": map[string]any{"2": listed(planar), "3": listed(datasets.ShapeClasses())}})
	for m := range messages {
		answer, data := respond(space, m)
		js.Global().Call("postMessage", map[string]any{"id": m.Get("id"), "answer": answer, "data": data})
	}
}

func listed(names []string) (out []any) {
	for _, name := range names {
		out = append(out, name)
	}
	return out
}

// respond answers a message in JSON, with the bytes of its arrays.
func respond(space *calls.Space, m js.Value) (text string, data []any) {
	var r calls.Request
	var a calls.Answer
	if err := json.Unmarshal([]byte(m.Get("question").String()), &r); err != nil {
		a.Fail(fmt.Errorf("question: %w", err))
	} else {
		for i := range r.Arrays {
			bytes := m.Get("data").Index(i)
			r.Arrays[i].Data = make([]byte, bytes.Length())
			js.CopyBytesToGo(r.Arrays[i].Data, bytes)
		}
		a = space.Respond(context.Background(), r, nil)
	}
	for i := range a.Arrays {
		bytes := js.Global().Get("Uint8Array").New(len(a.Arrays[i].Data))
		js.CopyBytesToJS(bytes, a.Arrays[i].Data)
		data, a.Arrays[i].Data = append(data, bytes), nil
	}
	raw, err := json.Marshal(a)
	if err != nil { // no value of an answer can do this
		panic(err)
	}
	return string(raw), data
}
