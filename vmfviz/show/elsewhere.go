package show

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"io"
	"strings"
	"sync"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// elsewhere is locked while outputs go to a caller of Elsewhere.
var elsewhere sync.Mutex

// ended is what exit panics with inside Elsewhere.
type ended struct{ error }

// Elsewhere calls f, all of whose outputs go to put, as if f were a cell. Where a cell would end by
// an error, Elsewhere returns it. Calls wait for each other.
func Elsewhere(put func(*protocol.DisplayData), f func() error) (err error) {
	elsewhere.Lock()
	defer elsewhere.Unlock()
	oldNotebook, oldSend, oldSync, oldExit, oldErr := inNotebook, send, syncKernel, exit, stderr
	var said bytes.Buffer
	inNotebook, send, syncKernel, stderr = func() bool { return true }, put, func() {}, io.Writer(&said)
	exit = func(int) { panic(ended{errors.New(strings.TrimPrefix(strings.TrimSpace(said.String()), "error: "))}) }
	defer func() {
		inNotebook, send, syncKernel, exit, stderr = oldNotebook, oldSend, oldSync, oldExit, oldErr
		switch e := recover().(type) {
		case nil:
		case ended:
			err = e.error
		default:
			panic(e)
		}
	}()
	err = f()
	flushProgress()
	return err
}

// InNotebook reports whether a kernel, or a caller of [Elsewhere], takes outputs.
func InNotebook() bool { return inNotebook() }

// Update shows HTML in the output of that id, which it replaces where there is one. Outside a
// notebook it does nothing.
func Update(id, code string) {
	if !inNotebook() {
		return
	}
	send(&protocol.DisplayData{Data: map[protocol.MIMEType]any{protocol.MIMETextHTML: code}, DisplayID: id})
}

// Say prints a line for the reader.
func Say(text string) {
	if !inNotebook() || gonbui.IsNotebook {
		fmt.Println(text)
		return
	}
	send(&protocol.DisplayData{Data: map[protocol.MIMEType]any{protocol.MIMETextPlain: text}})
}

// Image is a PNG as HTML, with words for those who do not see it. A width of 0 is the picture's own.
func Image(png []byte, alt string, width int) string {
	size := ""
	if width > 0 {
		size = fmt.Sprintf(" width=\"%d\"", width)
	}
	return fmt.Sprintf("<img%s alt=\"%s\" src=\"data:image/png;base64,%s\"/>\n", size, html.EscapeString(alt),
		base64.StdEncoding.EncodeToString(png))
}
