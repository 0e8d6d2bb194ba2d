package torchfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/nlpodyssey/gopickle/pickle"
	"github.com/nlpodyssey/gopickle/types"
)

// unpickle reads the pickle at the start of data and returns its length. persistent turns the names
// of storages into storages. Lengths are checked first, because the unpickler allocates what an
// instruction announces.
func unpickle(data []byte, hint string, persistent func(id *types.Tuple) (any, error)) (value any, length int, err error) {
	if length, err = pickleLength(data); err != nil {
		return nil, 0, err
	}
	u := pickle.NewUnpickler(bytes.NewReader(data[:length]))
	u.FindClass = func(module, name string) (any, error) { return findClass(module, name, hint) }
	u.PersistentLoad = func(id any) (any, error) {
		if t, ok := id.(*types.Tuple); ok {
			return persistent(t)
		}
		return nil, errors.New("damaged pickle: the name of a storage is no tuple")
	}
	value, err = u.Load()
	return value, length, err
}

// pickleLength returns the length of the pickle at the start of data. It is an error if the pickle
// does not end, if an instruction announces more bytes than there are, or if torch.save (protocols
// 2 to 5) does not write an instruction.
func pickleLength(data []byte) (int, error) {
	rest := data
	take := func(n uint64) (b []byte, ok bool) {
		if n > uint64(len(rest)) {
			return nil, false
		}
		b, rest = rest[:n], rest[n:]
		return b, true
	}
	for {
		op, ok := take(1)
		if !ok {
			return 0, errCut
		}
		// Size of the argument; whether it counts the bytes that follow; whether it is a frame,
		// which is read further.
		size, counted, frame := uint64(0), false, false
		switch op[0] {
		case '.':
			return len(data) - len(rest), nil
		case '(', '0', '1', '2', 'N', 'R', 'a', 'b', 'd', '}', 'e', 'l', ']', 'o', 's', 't', ')', 'u', 'Q',
			0x81, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8f, 0x90, 0x91, 0x92, 0x93, 0x94:
		case 'K', 'h', 'q', 0x80:
			size = 1
		case 'M':
			size = 2
		case 'J', 'j', 'r':
			size = 4
		case 'G':
			size = 8
		case 'U', 'C', 0x8a, 0x8c:
			size, counted = 1, true
		case 'T', 'X', 'B', 0x8b:
			size, counted = 4, true
		case 0x8d, 0x8e, 0x96:
			size, counted = 8, true
		case 0x95:
			size, frame = 8, true
		case 'c': // two lines
			for range 2 {
				end := bytes.IndexByte(rest, '\n')
				if end < 0 {
					return 0, errCut
				}
				rest = rest[end+1:]
			}
		default:
			return 0, fmt.Errorf("damaged pickle: instruction %#02x, which torch.save does not write", op[0])
		}
		b, ok := take(size)
		if !ok {
			return 0, errCut
		}
		var word [8]byte
		copy(word[:], b)
		n := binary.LittleEndian.Uint64(word[:])
		if frame && n > uint64(len(rest)) {
			return 0, errCut
		}
		if counted {
			if _, ok := take(n); !ok {
				return 0, errCut
			}
		}
	}
}

var errCut = errors.New("damaged pickle: it is cut off, or announces more than there is")

// findClass knows the classes of tensors and dicts of them. (The unpickler itself knows dicts,
// lists and OrderedDict.)
func findClass(module, name, hint string) (any, error) {
	if k, ok := kinds[name]; ok && (module == "torch" || module == "torch.cuda") {
		return k, nil
	}
	if module == "torch._utils" {
		switch name {
		case "_rebuild_tensor", "_rebuild_tensor_v2":
			return rebuildTensor{}, nil
		case "_rebuild_parameter":
			return rebuildParameter{}, nil
		}
	}
	return nil, fmt.Errorf("the file asks for %s.%s: only tensors, dicts, lists and numbers are read, and nothing is run; write it with %s",
		module, name, hint)
}

// kinds are torch's storage classes.
var kinds = map[string]kind{
	"FloatStorage": {"F32", 4}, "DoubleStorage": {"F64", 8}, "HalfStorage": {"F16", 2}, "BFloat16Storage": {"BF16", 2},
	"LongStorage": {"I64", 8}, "IntStorage": {"I32", 4}, "ShortStorage": {"I16", 2}, "CharStorage": {"I8", 1},
	"ByteStorage": {"U8", 1}, "BoolStorage": {"BOOL", 1},
}

// storageOf reads the name of a storage, ("storage", class, key, location, number of elements,
// ...).
func storageOf(id *types.Tuple) (s *storage, key string, err error) {
	if id.Len() < 5 || id.Get(0) != "storage" {
		return nil, "", errors.New("damaged pickle: expected the name of a storage")
	}
	k, okKind := id.Get(1).(kind)
	key, okKey := id.Get(2).(string)
	count, okCount := id.Get(4).(int)
	if !okKind || !okKey || !okCount || count < 0 || count > math.MaxInt/8 {
		return nil, "", errors.New("damaged pickle: expected the class, key and size of a storage")
	}
	return &storage{kind: k, count: count}, key, nil
}

// rebuildTensor makes a Tensor from (storage, offset, shape, stride, ...).
type rebuildTensor struct{}

func (rebuildTensor) Call(args ...any) (any, error) {
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

// rebuildParameter is the tensor of an nn.Parameter, its first argument.
type rebuildParameter struct{}

func (rebuildParameter) Call(args ...any) (any, error) {
	if len(args) > 0 {
		if v, ok := args[0].(*Tensor); ok {
			return v, nil
		}
	}
	return nil, errors.New("damaged pickle: a parameter without a tensor")
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
