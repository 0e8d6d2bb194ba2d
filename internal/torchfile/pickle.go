package torchfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nlpodyssey/gopickle/pickle"
	"github.com/nlpodyssey/gopickle/types"
	"github.com/sliced-wasserstein/lab/internal/numbers"
)

// unpickle reads the pickle at the start of data and returns its length. Storages that it names are
// added to known. Lengths are checked first, because the unpickler allocates what an instruction
// announces.
func unpickle(data []byte, hint string, known storages) (value any, length int, err error) {
	if length, err = pickleLength(data); err != nil {
		return nil, 0, err
	}
	u := pickle.NewUnpickler(bytes.NewReader(data[:length]))
	u.FindClass = func(module, name string) (any, error) { return findClass(module, name, hint) }
	u.PersistentLoad = known.find
	value, err = u.Load()
	return value, length, err
}

// The instructions that torch.save (protocols 2 to 5) writes, by the size of their argument in bytes.
// That of counted ones is the number of bytes that follow.
var (
	plain = []string{0: "(012NRabd}el]ost)uQ\x81\x85\x86\x87\x88\x89\x8f\x90\x91\x92\x93\x94", 1: "Khq\x80",
		2: "M", 4: "Jjr", 8: "G\x95"}
	counted = []string{1: "UC\x8a\x8c", 4: "TXB\x8b", 8: "\x8d\x8e\x96"}
)

// pickleLength returns the length of the pickle at the start of data. It is an error if the pickle
// does not end, if an instruction announces more bytes than there are, or if torch.save does not
// write an instruction.
func pickleLength(data []byte) (int, error) {
	for at := 0; at < len(data); {
		op := data[at]
		at++
		if op == '.' {
			return at, nil
		}
		if op == 'c' { // two lines
			lines := bytes.SplitN(data[at:], []byte("\n"), 3)
			if len(lines) < 3 {
				break
			}
			at = len(data) - len(lines[2])
			continue
		}
		holds := func(s string) bool { return strings.IndexByte(s, op) >= 0 }
		size, counts := slices.IndexFunc(plain, holds), false
		if size < 0 {
			size, counts = slices.IndexFunc(counted, holds), true
		}
		if size < 0 {
			return 0, fmt.Errorf("damaged pickle: instruction %#02x, which torch.save does not write", op)
		}
		if size > len(data)-at {
			break
		}
		var word [8]byte
		copy(word[:], data[at:at+size])
		at += size
		n := binary.LittleEndian.Uint64(word[:])
		if (counts || op == 0x95) && n > uint64(len(data)-at) { // 0x95: a frame, which is read further
			break
		}
		if counts {
			at += int(n)
		}
	}
	return 0, errCut
}

var errCut = errors.New("damaged pickle: it is cut off, or announces more than there is")

// findClass knows the classes of tensors and dicts of them. (The unpickler itself knows dicts,
// lists and OrderedDict.)
func findClass(module, name, hint string) (any, error) {
	if k, ok := kinds[name]; ok && (module == "torch" || module == "torch.cuda") {
		return k, nil
	}
	switch module + "." + name {
	case "torch._utils._rebuild_tensor", "torch._utils._rebuild_tensor_v2":
		return call(rebuildTensor), nil
	case "torch._utils._rebuild_parameter": // an nn.Parameter is its first argument
		return call(func(args ...any) (any, error) { return args[0].(*Tensor), nil }), nil
	}
	return nil, fmt.Errorf("the file asks for %s.%s: only tensors, dicts, lists and numbers are read, and nothing is run; write it with %s",
		module, name, hint)
}

// kinds are torch's storage classes.
var kinds = map[string]kind{
	"FloatStorage": {"F32", numbers.Of("f4")}, "DoubleStorage": {"F64", numbers.Of("f8")}, "HalfStorage": {"F16", numbers.Of("f2")},
	"BFloat16Storage": {"BF16", numbers.Of("B2")}, "LongStorage": {"I64", numbers.Of("i8")}, "IntStorage": {"I32", numbers.Of("i4")},
	"ShortStorage": {"I16", numbers.Of("i2")}, "CharStorage": {"I8", numbers.Of("i1")}, "ByteStorage": {"U8", numbers.Of("u1")},
	"BoolStorage": {"BOOL", numbers.Of("b1")},
}

// storages are those of a file by their keys.
type storages map[string]*storage

// find returns the storage of a name, ("storage", class, key, location, number of elements, ...).
func (all storages) find(name any) (any, error) {
	id, ok := name.(*types.Tuple)
	if !ok || id.Len() < 5 || id.Get(0) != "storage" {
		return nil, errors.New("damaged pickle: expected the name of a storage")
	}
	k, okKind := id.Get(1).(kind)
	key, okKey := id.Get(2).(string)
	count, okCount := id.Get(4).(int)
	if !okKind || !okKey || !okCount || count < 0 || count > math.MaxInt/8 {
		return nil, errors.New("damaged pickle: expected the class, key and size of a storage")
	}
	if id.Len() > 5 && id.Get(5) != nil {
		return nil, fmt.Errorf("storage %q is a view of another, as no PyTorch since 0.4 writes it; save the file again", key)
	}
	if all[key] == nil {
		all[key] = &storage{kind: k, count: count}
	}
	return all[key], nil
}

// call is a function that a pickle may call.
type call func(args ...any) (any, error)

// Call makes call a callable of gopickle.
func (c call) Call(args ...any) (any, error) { return c(args...) }

// rebuildTensor makes a Tensor from (storage, offset, shape, stride, ...).
func rebuildTensor(args ...any) (any, error) {
	if len(args) >= 4 {
		s, okStorage := args[0].(*storage)
		offset, okOffset := args[1].(int)
		shape, okShape := integers(args[2])
		stride, okStride := integers(args[3])
		if okStorage && okOffset && okShape && okStride && len(shape) == len(stride) {
			return &Tensor{s, offset, shape, stride}, nil
		}
	}
	return nil, errors.New("damaged pickle: a tensor is not made of storage, offset, shape and strides")
}

func integers(v any) ([]int, bool) {
	t, ok := v.(*types.Tuple)
	if !ok {
		return nil, false
	}
	out := make([]int, t.Len())
	for i := range out {
		if out[i], ok = t.Get(i).(int); !ok {
			return nil, false
		}
	}
	return out, true
}
