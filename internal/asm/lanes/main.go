// Command asm generates the assembly of package lanes: go run . -out ../lanes_amd64.s
// -stubs ../lanes_amd64.go -pkg lanes
package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// set is a vector width and a kind of keys: 64 bits compared as float64, or 32 bits that have the same order
// as unsigned integers and as float32.
type set struct {
	name  string // suffix of the functions
	bytes int    // of a vector, which is a row
	bits  int    // of a key
	rows  int    // of a block, as many as there are registers
	v     []reg.VecPhysical
	float bool // keys of 32 bits are compared as float32; the rest is that of unsigned ones
}

func main() {
	ConstraintExpr("!purego")
	z := []reg.VecPhysical{reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7, reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
		reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23, reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31}
	y := []reg.VecPhysical{reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7, reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15}
	for _, s := range []set{
		{"512x64", 64, 64, 32, z, false}, {"512x32", 64, 32, 32, z, false}, {"512f32", 64, 32, 32, z, true},
		{"256x64", 32, 64, 16, y, false}, {"256x32", 32, 32, 16, y, false},
	} {
		s.base()
		s.merge(s.rows)
		s.merge(s.rows / 2)
		s.clean(s.rows)
		s.clean(8)
		for stages := 1; 1<<stages <= s.rows; stages++ {
			s.tail(stages)
		}
		s.pairs(false)
		s.pairs(true)
		if s.float {
			continue
		}
		s.project()
		s.cost(1)
		s.cost(2)
	}
	vendor()
	Generate()
}

// vendor reads which company made the processor.
func vendor() {
	TEXT("vendor", attr.NOSPLIT, "func() uint32")
	Doc("vendor returns the first four letters of the processor's vendor.")
	XORL(reg.EAX, reg.EAX)
	XORL(reg.ECX, reg.ECX)
	CPUID()
	Store(reg.EBX, ReturnIndex(0))
	RET()
}

// network is a list of comparators (a, b): the smaller value goes to row a, the larger one to row b.
type network [][2]int

// halves are the stages of distance size/2, ... 1 of the bitonic network on rows from, ... from+size-1,
// one half after the other as soon as they do not depend on each other.
func (n *network) halves(from, size int) {
	half := size / 2
	if half == 0 {
		return
	}
	for i := from; i < from+half; i++ {
		*n = append(*n, [2]int{i, i + half})
	}
	n.halves(from, half)
	n.halves(from+half, half)
}

// sort is Batcher's odd-even merge sort of rows from, ... from+size-1.
func (n *network) sort(from, size int) {
	half := size / 2
	if half == 0 {
		return
	}
	n.sort(from, half)
	n.sort(from+half, half)
	for j := half; j >= 1; j /= 2 {
		for i := j % half; i+j < size; i += 2 * j {
			for l := from + i; l < from+i+j; l++ {
				*n = append(*n, [2]int{l, l + j})
			}
		}
	}
}

// emit writes the network's instructions. Rows are loaded when they are first compared and stored after
// they were last compared. A comparator needs a register besides those of its rows. If there is none, the
// row that is not compared for the longest time is stored in its place until then.
func (s set) emit(n network, place func(row int) Mem) {
	free, in := append([]reg.VecPhysical(nil), s.v...), map[int]reg.VecPhysical{}
	next := func(row, from int) int { // the next comparator of a row
		for i := from; i < len(n); i++ {
			if n[i][0] == row || n[i][1] == row {
				return i
			}
		}
		return len(n)
	}
	put := func(row int) {
		s.store(in[row], place(row))
		free = append(free, in[row])
		delete(in, row)
	}
	for i, c := range n {
		a, b := c[0], c[1]
		take := func() (r reg.VecPhysical) {
			if len(free) == 0 {
				last, far := -1, -1
				for row := range s.rows {
					if k := next(row, i+1); in[row] != nil && row != a && row != b && k > far {
						last, far = row, k
					}
				}
				put(last)
			}
			r, free = free[0], free[1:]
			return r
		}
		for _, row := range c {
			if in[row] == nil && (len(free) > 1 || in[a] == nil && in[b] == nil) {
				r := take()
				s.load(place(row), r)
				in[row] = r
			}
		}
		to := take()
		switch {
		case in[a] == nil: // in its place, for want of registers
			s.min(place(a), in[b], to)
			s.max(place(a), in[b], in[b])
			in[a] = to
		case in[b] == nil:
			s.min(place(b), in[a], to)
			s.max(place(b), in[a], in[a])
			in[a], in[b] = to, in[a]
		default:
			s.min(in[b], in[a], to)
			s.max(in[b], in[a], in[b])
			free = append(free, in[a])
			in[a] = to
		}
		for _, row := range c {
			if next(row, i+1) == len(n) {
				put(row)
			}
		}
	}
}

func (s set) min(x, y, to Op) {
	switch {
	case s.float:
		VMINPS(x, y, to)
	case s.bits == 32:
		VPMINUD(x, y, to)
	default:
		VMINPD(x, y, to)
	}
}

func (s set) max(x, y, to Op) {
	switch {
	case s.float:
		VMAXPS(x, y, to)
	case s.bits == 32:
		VPMAXUD(x, y, to)
	default:
		VMAXPD(x, y, to)
	}
}

func (s set) load(m Mem, r reg.VecPhysical)  { VMOVUPD(m, r) }
func (s set) store(r reg.VecPhysical, m Mem) { VMOVUPD(r, m) }

func (s set) start(name, signature, doc string) {
	TEXT(name+s.name, attr.NOSPLIT, signature)
	Doc(name + s.name + " " + doc)
	Pragma("noescape")
}

func (s set) end() {
	VZEROUPPER()
	RET()
}

// base sorts each of n blocks of s.rows rows.
func (s set) base() {
	s.start("base", "func(v *uint64, blocks int)", fmt.Sprintf("sorts blocks of %d rows.", s.rows))
	var n network
	n.sort(0, s.rows)
	s.blocks(n)
}

// blocks applies a network to each of n blocks of s.rows rows.
func (s set) blocks(n network) {
	p, left := Load(Param("v"), GP64()), Load(Param("blocks"), GP64())
	Label("loop")
	s.emit(n, func(row int) Mem { return Mem{Base: p, Disp: row * s.bytes} })
	ADDQ(I32(s.rows*s.bytes), p)
	DECQ(left)
	JNZ(LabelRef("loop"))
	s.end()
}

// strided addresses rows that are stride bytes apart: eight from each of its bases.
type strided struct {
	stride, three, five, seven reg.Register
	bases                      []reg.Register
}

// rows are n rows from base, of that stride.
func rows(base, stride reg.Register, n int) strided {
	m := strided{stride: stride, bases: []reg.Register{base}}
	three := GP64()
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, three)
	m.three = three
	if n > 4 {
		five, seven := GP64(), GP64()
		LEAQ(Mem{Base: stride, Index: stride, Scale: 4}, five)
		LEAQ(Mem{Base: three, Index: stride, Scale: 4}, seven)
		m.five, m.seven = five, seven
	}
	return m.more(n)
}

// more adds the bases of n rows.
func (m strided) more(n int) strided {
	for at := 8; at < n; at += 8 {
		next := GP64()
		LEAQ(Mem{Base: m.bases[len(m.bases)-1], Index: m.stride, Scale: 8}, next)
		m.bases = append(m.bases, next)
	}
	return m
}

// from are as many rows of the same stride from another base.
func (m strided) from(base reg.Register, n int) strided {
	m.bases = []reg.Register{base}
	return m.more(n)
}

func (m strided) at(row int) Mem {
	base := m.bases[row/8]
	switch i := row % 8; i {
	case 0:
		return Mem{Base: base}
	case 1, 2, 4:
		return Mem{Base: base, Index: m.stride, Scale: uint8(i)}
	case 3, 6:
		return Mem{Base: base, Index: m.three, Scale: uint8(i / 3)}
	case 5:
		return Mem{Base: base, Index: m.five, Scale: 1}
	}
	return Mem{Base: base, Index: m.seven, Scale: 1}
}

// step moves all rows by that many bytes.
func (m strided) step(bytes int) {
	for _, base := range m.bases {
		ADDQ(I32(bytes), base)
	}
}

// merge begins to merge two sorted runs of k rows: row i with row 2k-1-i, then distances k/2 ... h.
func (s set) merge(n int) {
	half := n / 2
	s.start(fmt.Sprintf("merge%dof", n), "func(v *uint64, h int)", fmt.Sprintf("begins to merge two sorted runs of k = %d h rows: it orders row i and row 2k-1-i, then rows at distances k/2, ... h.", half))
	p, h := Load(Param("v"), GP64()), Load(Param("h"), GP64())
	stride := GP64()
	MOVQ(h, stride)
	IMUL3Q(I32(s.bytes), stride, stride)
	q := GP64() // the last row of the first of the high blocks
	MOVQ(stride, q)
	IMUL3Q(I32(half+1), q, q)
	ADDQ(p, q)
	SUBQ(I32(s.bytes), q)
	low := rows(p, stride, half)
	high := low.from(q, half)
	Label("loop")
	var all network
	for i := range half {
		all = append(all, [2]int{i, n - 1 - i})
	}
	all.halves(0, half)
	all.halves(half, half)
	s.emit(all, func(row int) Mem {
		if row < half {
			return low.at(row)
		}
		return high.at(row - half)
	})
	low.step(s.bytes)
	high.step(-s.bytes)
	DECQ(h)
	JNZ(LabelRef("loop"))
	s.end()
}

// clean orders rows at distances n/2 h, ... h, on each of blocks of n h rows.
func (s set) clean(n int) {
	s.start(fmt.Sprintf("clean%dof", n), "func(v *uint64, h, blocks int)", fmt.Sprintf("orders rows at distances %d h, ... h in each block of %d h rows.", n/2, n))
	p, h, blocks := Load(Param("v"), GP64()), Load(Param("h"), GP64()), Load(Param("blocks"), GP64())
	stride := GP64()
	MOVQ(h, stride)
	IMUL3Q(I32(s.bytes), stride, stride)
	left, over := GP64(), GP64()
	MOVQ(stride, over)
	IMUL3Q(I32(n-1), over, over)
	m := rows(p, stride, n)
	Label("block")
	MOVQ(h, left)
	Label("loop")
	var all network
	all.halves(0, n)
	s.emit(all, m.at)
	m.step(s.bytes)
	DECQ(left)
	JNZ(LabelRef("loop"))
	for _, base := range m.bases {
		ADDQ(over, base)
	}
	DECQ(blocks)
	JNZ(LabelRef("block"))
	s.end()
}

// tail are the last stages, on rows that are neighbours.
func (s set) tail(stages int) {
	s.start(fmt.Sprintf("tail%dof", stages), "func(v *uint64, blocks int)", fmt.Sprintf("orders rows at distances %d, ... 1 in each block of %d rows.", 1<<(stages-1), s.rows))
	var n network
	for from := 0; from < s.rows; from += 1 << stages {
		n.halves(from, 1<<stages)
	}
	s.blocks(n)
}

// pairs orders n rows and n others, taken from the first or from the last.
func (s set) pairs(mirror bool) {
	name, doc := "pairs", "orders row i of low and row i of high, n of them."
	if mirror {
		name, doc = "mirror", "orders row i of low and row -i of high, n of them."
	}
	s.start(name, "func(low, high *uint64, n int)", doc)
	p, q, n := Load(Param("low"), GP64()), Load(Param("high"), GP64()), Load(Param("n"), GP64())
	Label("loop")
	s.emit(network{{0, 1}}, func(row int) Mem { return []Mem{{Base: p}, {Base: q}}[row] })
	ADDQ(I32(s.bytes), p)
	if mirror {
		SUBQ(I32(s.bytes), q)
	} else {
		ADDQ(I32(s.bytes), q)
	}
	DECQ(n)
	JNZ(LabelRef("loop"))
	s.end()
}

// project makes keys of points. Of 32-bit keys a row takes two vectors of sums.
func (s set) project() {
	s.start("project", "func(v *uint64, points *float64, theta *float64, from *float64, dim, n int, shift, step uint64)",
		map[int]string{
			64: "writes the keys of n points: the integer part of theta'x - from, shifted, plus the point's number times step.",
			32: "writes the keys of n points: the integer part of theta'x - from + the fraction of the point's number times step / 2^64.",
		}[s.bits])
	v, points, theta := Load(Param("v"), GP64()), Load(Param("points"), GP64()), Load(Param("theta"), GP64())
	from, dim, n := Load(Param("from"), GP64()), Load(Param("dim"), GP64()), Load(Param("n"), GP64())
	parts := 64 / s.bits
	sums, origins := s.v[0:parts], s.v[2:2+parts]
	coordinate, number, step, magic, product := s.v[4], s.v[7], s.v[8], s.v[9], s.v[10]
	for i, o := range origins {
		s.load(Mem{Base: from, Disp: i * s.bytes}, o)
	}
	t := GP64()
	shift := reg.X6
	Load(Param("shift"), t)
	MOVQ(t, shift)
	Load(Param("step"), t)
	MOVQ(t, reg.X5)
	VPBROADCASTQ(reg.X5, step)
	s.clear(number)
	if s.bits == 32 {
		s.broadcast(oneAndHalf, magic)
		for _, o := range origins {
			VADDPD(magic, o, o) // 1 of the fraction, and what turns the nearest integer into the one below
		}
		s.broadcast(one, magic)
		if s.bytes == 32 {
			s.broadcast(three51, reg.Y6)
		}
		// product is 1 + the fraction of the number times step.
		s.fraction(number, magic, product)
	} else {
		s.broadcast(two52, magic)
	}
	left, at := GP64(), GP64()
	Label("point")
	MOVQ(theta, at)
	MOVQ(dim, left)
	if s.bits == 32 {
		for i, sum := range sums {
			VSUBPD(origins[i], product, sum)
		}
		Label("coordinate")
		VBROADCASTSD(Mem{Base: points}, coordinate)
		for i, sum := range sums {
			VFMADD231PD(Mem{Base: at, Disp: i * s.bytes}, coordinate, sum)
		}
		ADDQ(I32(8), points)
		ADDQ(I32(parts*s.bytes), at)
		DECQ(left)
		JNZ(LabelRef("coordinate"))
		VPADDQ(step, number, number)
		s.fraction(number, magic, product)
		s.round(sums, v)
	} else {
		VBROADCASTSD(Mem{Base: points}, coordinate)
		VMULPD(Mem{Base: at}, coordinate, sums[0])
		Label("coordinate")
		ADDQ(I32(8), points)
		ADDQ(I32(s.bytes), at)
		DECQ(left)
		JZ(LabelRef("done"))
		VBROADCASTSD(Mem{Base: points}, coordinate)
		VMULPD(Mem{Base: at}, coordinate, product)
		VADDPD(product, sums[0], sums[0])
		JMP(LabelRef("coordinate"))
		Label("done")
		VSUBPD(origins[0], sums[0], sums[0])
		s.floor(sums[0], sums[0])
		VADDPD(magic, sums[0], sums[0]) // the integer is in the lowest 52 bits
		s.xor(magic, sums[0])
		VPSLLQ(shift, sums[0], sums[0])
		VPADDQ(number, sums[0], sums[0])
		VPADDQ(step, number, number)
		s.store(sums[0], Mem{Base: v})
	}
	ADDQ(I32(s.bytes), v)
	DECQ(n)
	JNZ(LabelRef("point"))
	s.end()
}

// fraction is 1 + number / 2^64, as float64.
func (s set) fraction(number, one, to reg.VecPhysical) {
	VPSRLQ(U8(12), number, to)
	if s.bytes == 64 {
		VPORQ(one, to, to)
	} else {
		VPOR(one, to, to)
	}
}

// round stores a row of the nearest integers of 32 bits.
func (s set) round(sums []reg.VecPhysical, v reg.Register) {
	if s.bytes == 64 {
		for i, sum := range sums {
			half := sum.AsY()
			VCVTPD2UDQ(sum, half)
			VMOVUPD(half, Mem{Base: v, Disp: i * s.bytes / 2})
		}
		return
	}
	magic := reg.Y6
	for _, sum := range sums {
		VADDPD(magic, sum, sum) // the integer is in the lowest 52 bits
	}
	VSHUFPS(U8(0x88), sums[1], sums[0], sums[0])
	VPERMQ(U8(0xd8), sums[0], sums[0])
	s.store(sums[0], Mem{Base: v})
}

// floor rounds down.
func (s set) floor(from, to reg.VecPhysical) {
	if s.bytes == 64 {
		VRNDSCALEPD(U8(1), from, to)
	} else {
		VROUNDPD(U8(1), from, to)
	}
}

const (
	// two52 is the float64 2^52. Integers below it, put into its lowest bits, are added to it.
	two52 = 0x4330000000000000
	// three51 is 3 2^51, for integers that may be rounded up to 0.
	three51    = 0x4338000000000000
	one        = 0x3FF0000000000000
	oneAndHalf = 0x3FF8000000000000
)

func (s set) broadcast(bits uint64, to reg.VecPhysical) {
	t := GP64()
	MOVQ(U64(bits), t)
	MOVQ(t, reg.X5)
	VPBROADCASTQ(reg.X5, to)
}

func (s set) clear(r reg.VecPhysical) { s.xor(r, r) }

func (s set) xor(with, r reg.VecPhysical) {
	if s.bytes == 64 {
		VPXORQ(with, r, r)
	} else {
		VPXOR(with, r, r)
	}
}

func (s set) and(with, r reg.VecPhysical) {
	if s.bytes == 64 {
		VPANDQ(with, r, r)
	} else {
		VPAND(with, r, r)
	}
}

// half is a register of half the width.
func (s set) half(r reg.VecPhysical) reg.VecPhysical {
	if s.bytes == 64 {
		return r.AsY().(reg.VecPhysical)
	}
	return r.AsX().(reg.VecPhysical)
}

// cost sums |a - b| or its square in float64, of even and of odd rows.
func (s set) cost(p int) {
	s.start(fmt.Sprintf("cost%dof", p), "func(a, b *uint64, n int, even, odd *float64)", fmt.Sprintf("sums |a - b|^%d of keys below 2^%d, of even and of odd rows.", p, map[int]int{64: 52, 32: 31}[s.bits]))
	a, b, n := Load(Param("a"), GP64()), Load(Param("b"), GP64()), Load(Param("n"), GP64())
	even, odd := Load(Param("even"), GP64()), Load(Param("odd"), GP64())
	parts := 64 / s.bits
	x, y, magic, positive := s.v[0], s.v[1], s.v[6], s.v[7]
	sums := s.v[2 : 2+2*parts]
	s.broadcast(two52, magic)
	s.broadcast(1<<63-1, positive)
	for _, r := range sums {
		s.clear(r)
	}
	row := func(sums []reg.VecPhysical) {
		for i, sum := range sums {
			if s.bits == 64 {
				// 2^52 + key is exact, and so is the difference.
				s.load(Mem{Base: a}, x)
				s.load(Mem{Base: b}, y)
				s.xor(magic, x)
				s.xor(magic, y)
				VSUBPD(y, x, x)
			} else {
				half, at := s.half(x), i*s.bytes/2
				s.load(Mem{Base: a, Disp: at}, half)
				VPSUBD(Mem{Base: b, Disp: at}, half, half)
				VCVTDQ2PD(half, x)
			}
			switch {
			case p == 1:
				s.and(positive, x)
				VADDPD(x, sum, sum)
			case s.bits == 64:
				VMULPD(x, x, x)
				VADDPD(x, sum, sum)
			default:
				VFMADD231PD(x, x, sum)
			}
		}
		ADDQ(I32(s.bytes), a)
		ADDQ(I32(s.bytes), b)
		DECQ(n)
	}
	Label("loop")
	row(sums[:parts])
	JZ(LabelRef("end"))
	row(sums[parts:])
	JNZ(LabelRef("loop"))
	Label("end")
	for i := range parts {
		s.store(sums[i], Mem{Base: even, Disp: i * s.bytes})
		s.store(sums[parts+i], Mem{Base: odd, Disp: i * s.bytes})
	}
	s.end()
}
