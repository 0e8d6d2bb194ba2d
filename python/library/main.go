// Library is the shared library of the Python package: the host path of the Go library behind three C
// functions, which python/swlab/_library.py calls. Build it with -buildmode=c-shared -tags noxla.
package main

/*
#include <stdint.h>
#include <stdlib.h>
*/
import "C"

import (
	"encoding/json"
	"runtime/cgo"
	"unsafe"

	"github.com/sliced-wasserstein/lab/experiments/calls"
	_ "github.com/sliced-wasserstein/lab/experiments/calls/all" // pictures, trainings, tables
)

// swlab_call answers a request, a JSON object. data holds a pointer to the values of each of its
// arrays, float32 or float64, which are read in place and not kept. The answer is a JSON object too; it lists the resulting
// arrays, which swlab_read copies. The caller frees both with swlab_free.
//
//export swlab_call
func swlab_call(text *C.char, data *unsafe.Pointer, result *C.uintptr_t) *C.char {
	var r calls.Request
	var a calls.Answer
	if err := json.Unmarshal([]byte(C.GoString(text)), &r); err != nil {
		a.Fail(err)
	} else {
		pointers := unsafe.Slice(data, len(r.Arrays))
		for i := range r.Arrays {
			switch in := &r.Arrays[i]; in.DType {
			case "float64":
				in.Values = unsafe.Slice((*float64)(pointers[i]), in.Size())
			default:
				in.Values = unsafe.Slice((*float32)(pointers[i]), in.Size())
			}
		}
		a = calls.Respond(r)
	}
	out, err := json.Marshal(a)
	if err != nil { // no value of an answer can do this
		panic(err)
	}
	*result = C.uintptr_t(cgo.NewHandle(a.Arrays))
	return C.CString(string(out))
}

// swlab_read copies the i-th array of a result to the caller's memory, which has room for it.
//
//export swlab_read
func swlab_read(result C.uintptr_t, i C.int, to unsafe.Pointer) {
	a := cgo.Handle(result).Value().([]calls.Array)[i]
	switch v := a.Values.(type) {
	case []float64:
		copy(unsafe.Slice((*float64)(to), len(v)), v)
	case []float32:
		copy(unsafe.Slice((*float32)(to), len(v)), v)
	case []int32:
		copy(unsafe.Slice((*int32)(to), len(v)), v)
	}
}

// swlab_free frees a result and its answer.
//
//export swlab_free
func swlab_free(result C.uintptr_t, text *C.char) {
	cgo.Handle(result).Delete()
	C.free(unsafe.Pointer(text))
}

func main() {}
