package main

import (
	"fmt"
	"syscall/js"
)

// main runs in a worker of the page. It answers its messages {id, question} one after the other by
// {id, answer} or {id, error}.
func main() {
	p, err := New()
	if err != nil {
		panic(err)
	}
	type message struct {
		id       int
		question string
	}
	messages := make(chan message, 64)
	js.Global().Set("onmessage", js.FuncOf(func(_ js.Value, args []js.Value) any {
		data := args[0].Get("data")
		if file := data.Get("path"); !file.IsUndefined() { // the reader gave a file
			js.Global().Get("files").Set(file.String(), data.Get("bytes"))
			return nil
		}
		m := message{data.Get("id").Int(), data.Get("question").String()}
		go func() { messages <- m }()
		return nil
	}))
	js.Global().Call("postMessage", map[string]any{"ready": true})
	for m := range messages {
		answer, err := safely(p, m.question)
		out := map[string]any{"id": m.id, "answer": string(answer)}
		if err != nil {
			out["error"] = err.Error()
		}
		js.Global().Call("postMessage", out)
	}
}

// safely answers; a panic of the libraries becomes an error, so that the page lives on.
func safely(p *Playground, question string) (answer []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("internal error: %v", r)
		}
	}()
	return p.Answer([]byte(question))
}
