package hdf5

import "fmt"

// objects returns the objects of a collection in the global heap, by number.
func (f *File) objects(address uint64) (map[uint64]string, error) {
	f.lock.Lock()
	defer f.lock.Unlock()
	if found, ok := f.heaps[address]; ok {
		return found, nil
	}
	c, err := f.block(address, "GCOL\x01", 16)
	if err != nil {
		return nil, err
	}
	c.take(3)
	size := max(16, c.number(8))
	if f.inHeaps += size; f.inHeaps < size || f.inHeaps > f.size {
		return nil, fmt.Errorf("collections of %d bytes in a file of %d: the file is damaged", f.inHeaps, f.size)
	}
	data, err := f.bytes(address+16, size-16)
	if err != nil {
		return nil, err
	}
	found := map[uint64]string{}
	for c := (cursor{data: data}); len(c.data) >= 16; {
		index := c.number(2)
		c.take(6)
		n := c.number(8)
		if index == 0 { // the rest is free
			break
		}
		if n > uint64(len(c.data)) {
			return nil, fmt.Errorf("a heap object of %d bytes in a collection of %d: the file is damaged", n, size)
		}
		found[index] = string(c.take(int(n)))
		c.take(int(min((8-n%8)%8, uint64(len(c.data)))))
	}
	f.heaps[address] = found
	return found, nil
}
