package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// complete is gopls at low priority, on the socket where GoNB expects it. A completion that nobody asked for, after the
// first cell has been built, makes it read the packages: later ones take a tenth of a second in place of seconds, for
// which JupyterLab does not wait.
func complete(gopls, socket string) error {
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	lower()
	for {
		kernel, err := listener.Accept()
		if err != nil {
			return err
		}
		server := exec.Command(gopls, "serve")
		server.Stderr = os.Stderr
		in, errIn := server.StdinPipe()
		out, errOut := server.StdoutPipe()
		if err := server.Start(); err != nil || errIn != nil || errOut != nil {
			return fmt.Errorf("start gopls: %v, %v, %v", err, errIn, errOut)
		}
		s := &session{in: in, dir: filepath.Dir(socket)}
		go func() {
			_ = s.answers(bufio.NewReader(out), kernel)
			kernel.Close()
		}()
		go func() {
			_ = s.requests(bufio.NewReader(kernel))
			in.Close()
			_ = server.Wait()
		}()
	}
}

// session stands between a kernel and its gopls.
type session struct {
	mu   sync.Mutex
	in   io.Writer // of gopls
	held []byte    // what makes gopls begin, until the first cell has been built or the kernel asks
	dir  string    // of the kernel
}

// warming is the identity of the request that is not the kernel's.
const warming = `"swlab-warming"`

// message is a message of the language server protocol, as far as this program reads it.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
}

// object is one of JSON.
type object = map[string]any

// send writes a message to gopls.
func (s *session) send(body []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held != nil {
		held := s.held
		s.held = nil
		if err := write(s.in, held); err != nil {
			return err
		}
	}
	return write(s.in, body)
}

// requests passes on what the kernel says. Once that is that it is ready, the warming waits for the first cell, which
// has the processor to itself.
func (s *session) requests(kernel *bufio.Reader) error {
	for {
		body, m, err := receive(kernel)
		if err != nil {
			return err
		}
		if body, err = s.mend(body, m); err != nil {
			return err
		}
		switch {
		case m.Method == "initialized":
			s.mu.Lock()
			s.held = body
			s.mu.Unlock()
			go s.warm()
		case body != nil:
			err = s.send(body)
		}
		if err != nil {
			return err
		}
	}
}

// mend changes what GoNB says of files, or returns nil to leave it out:
//
//   - It opens every source of the module, which takes seconds. gopls reads them where they lie.
//   - After a change it sends the whole text, as one to be put before the old one.
func (s *session) mend(body []byte, m message) ([]byte, error) {
	params, _ := m.Params.(object)
	document, _ := params["textDocument"].(object)
	uri, _ := document["uri"].(string)
	_, ours := strings.CutPrefix(uri, "file://"+s.dir+"/")
	const changed, deleted = 2, 3
	kind := changed
	switch m.Method {
	default:
		return body, nil
	case "textDocument/didOpen":
		if !ours {
			return nil, nil
		}
		return body, nil
	case "textDocument/didClose":
		kind = deleted
	case "textDocument/didChange":
		changes, _ := params["contentChanges"].([]any)
		for _, c := range changes {
			if c, ok := c.(object); ok {
				delete(c, "range")
			}
		}
	}
	if !ours {
		m.Method = "workspace/didChangeWatchedFiles"
		m.Params = object{"changes": []object{{"uri": uri, "type": kind}}}
	}
	return json.Marshal(m)
}

// answers passes on what gopls says, except the answer to the warming.
func (s *session) answers(gopls *bufio.Reader, kernel io.Writer) error {
	for {
		body, m, err := receive(gopls)
		if err == nil && (m.Method != "" || string(m.ID) != warming) {
			err = write(kernel, body)
		}
		if err != nil {
			return err
		}
	}
}

var selector = regexp.MustCompile(`(?m)^.*?\w\.\w`)

// warm waits for the first cell and then asks for a completion in it.
func (s *session) warm() {
	built := filepath.Join(s.dir, folder, "checked.json")
	for ; ; time.Sleep(time.Second / 2) {
		if _, err := os.Stat(s.dir); err != nil {
			return
		}
		if _, err := os.Stat(built); err == nil {
			break
		}
	}
	time.Sleep(time.Second / 2) // the cell's own work
	file := filepath.Join(s.dir, "main.go")
	source, err := os.ReadFile(file)
	if err != nil {
		return
	}
	line, column := 0, 0
	if main := bytes.Index(source, []byte("\nfunc main() {")); main >= 0 {
		if at := selector.FindIndex(source[main:]); at != nil {
			line = bytes.Count(source[:main+at[0]], []byte("\n"))
			column = at[1] - at[0]
		}
	}
	body, err := json.Marshal(message{"2.0", json.RawMessage(warming), "textDocument/completion",
		object{"textDocument": object{"uri": "file://" + file}, "position": object{"line": line, "character": column}}})
	if err == nil {
		_ = s.send(body)
	}
}

// receive reads a message of the language server protocol.
func receive(r *bufio.Reader) (body []byte, m message, err error) {
	header, err := textproto.NewReader(r).ReadMIMEHeader()
	if err != nil {
		return nil, m, err
	}
	n, err := strconv.Atoi(strings.TrimSpace(header.Get("Content-Length")))
	if err != nil || n < 0 || n > 1<<30 {
		return nil, m, fmt.Errorf("content length %q", header.Get("Content-Length"))
	}
	body = make([]byte, n)
	if _, err = io.ReadFull(r, body); err == nil {
		err = json.Unmarshal(body, &m)
	}
	return body, m, err
}

// write is the reverse of receive.
func write(w io.Writer, body []byte) error {
	_, err := w.Write(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(body), body))
	return err
}
