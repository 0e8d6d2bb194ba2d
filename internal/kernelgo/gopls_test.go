package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

// TestSession: what a kernel says reaches gopls as it should have been said, and the answer to the warming does not reach the kernel.
func TestSession(t *testing.T) {
	dir := t.TempDir()
	must.M(os.Mkdir(filepath.Join(dir, folder), 0o700))
	must.M(os.WriteFile(filepath.Join(dir, folder, "checked.json"), []byte("[]"), 0o600))
	must.M(os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n\nfunc main() {\n\tflag.Parse()\n}\n"), 0o600))
	ours, other := `"uri":"file://`+dir+`/main.go"`, `"uri":"file:///elsewhere/a.go"`
	document := func(uri string) string { return `"textDocument":{` + uri + `,"version":1}` }
	gopls, in := io.Pipe()
	s := &session{in: in, dir: dir}
	var said bytes.Buffer
	for _, text := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`,
		`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{` + document(ours) + `}}`,
		`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{` + document(other) + `}}`,
		`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{` + document(ours) +
			`,"contentChanges":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"text":"new"}]}}`,
		`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{` + document(other) + `,"contentChanges":[]}}`,
		`{"jsonrpc":"2.0","method":"textDocument/didClose","params":{` + document(other) + `}}`,
		`{"jsonrpc":"2.0","method":"initialized","params":{}}`,
	} {
		must.M(write(&said, []byte(text)))
	}
	go func() { _ = s.requests(bufio.NewReader(&said)) }()
	r := bufio.NewReader(gopls)
	for _, want := range [][]string{
		{`"initialize"`}, {`"textDocument/didOpen"`, ours}, {`"textDocument/didChange"`, ours, `"contentChanges":[{"text":"new"}]`},
		{`"workspace/didChangeWatchedFiles"`, other, `"type":2`}, {`"workspace/didChangeWatchedFiles"`, other, `"type":3`},
		{`"initialized"`}, {`"textDocument/completion"`, ours, warming, `"character":7,"line":3`},
	} {
		body, _ := must.M2(receive(r))
		for _, part := range want {
			if !strings.Contains(string(body), part) {
				t.Errorf("expected %s, found %s", part, body)
			}
		}
	}

	var answers, heard bytes.Buffer
	for _, text := range []string{`{"id":1,"result":{}}`, `{"id":` + warming + `,"result":{}}`, `{"method":"window/logMessage","params":{}}`} {
		must.M(write(&answers, []byte(text)))
	}
	_ = s.answers(bufio.NewReader(&answers), &heard)
	if got := heard.String(); strings.Contains(got, warming) || !strings.Contains(got, `"id":1`) || !strings.Contains(got, "logMessage") {
		t.Errorf("the kernel hears %s", got)
	}
}
