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

// set is a vector width and a kind of keys: 64 bits compared as float64, or 32 unsigned bits.
type set struct {
	name  string // suffix of the functions
	bytes int    // of a vector, which is a row
	bits  int    // of a key
	rows  int    // those kept in registers
	v     []reg.VecPhysical
}

func main() {
	ConstraintExpr("!purego")
	z := []reg.VecPhysical{reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7, reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15, reg.Z16}
	y := []reg.VecPhysical{reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7, reg.Y8, reg.Y9, reg.Y10}
	for _, s := range []set{
		{"512x64", 64, 64, 16, z}, {"512x32", 64, 32, 16, z},
		{"256x64", 32, 64, 8, y}, {"256x32", 32, 32, 8, y},
	} {
		s.base()
		s.merge()
		s.clean(s.rows)
		if s.rows > 8 {
			s.clean(s.rows / 2)
		}
		for stages := 1; 1<<stages <= s.rows; stages++ {
			s.tail(stages)
		}
		s.pairs(false)
		s.pairs(true)
		s.project()
		s.cost(1)
		s.cost(2)
	}
	Generate()
}

// network holds values in registers and orders pairs of them.
type network struct {
	value    []reg.VecPhysical
	free     reg.VecPhysical
	min, max func(x, y, to Op)
}

func (s set) registers() *network {
	n := &network{value: append([]reg.VecPhysical(nil), s.v[:s.rows]...), free: s.v[s.rows]}
	if s.bits == 32 {
		n.min, n.max = func(x, y, to Op) { VPMINUD(x, y, to) }, func(x, y, to Op) { VPMAXUD(x, y, to) }
	} else {
		n.min, n.max = func(x, y, to Op) { VMINPD(x, y, to) }, func(x, y, to Op) { VMAXPD(x, y, to) }
	}
	return n
}

// order puts the smaller of values a and b into a and the larger into b.
func (n *network) order(a, b int) {
	x, y := n.value[a], n.value[b]
	n.min(y, x, n.free)
	n.max(y, x, y)
	n.value[a], n.free = n.free, x
}

// half are the stages of distance from, from/2, ... 1 of the bitonic network, on the given values.
func (n *network) half(from int, at ...int) {
	for j := from; j >= 1; j /= 2 {
		for i := range at {
			if i&j == 0 {
				n.order(at[i], at[i|j])
			}
		}
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

// base sorts each of n blocks of s.rows rows by Batcher's odd-even merge network.
func (s set) base() {
	s.start("base", "func(v *uint64, blocks int)", fmt.Sprintf("sorts blocks of %d rows.", s.rows))
	p, n := Load(Param("v"), GP64()), Load(Param("blocks"), GP64())
	Label("loop")
	r := s.registers()
	for i, v := range r.value {
		s.load(Mem{Base: p, Disp: i * s.bytes}, v)
	}
	for k := 1; k < s.rows; k *= 2 {
		for j := k; j >= 1; j /= 2 {
			for i := j % k; i+j < s.rows; i += 2 * j {
				for l := range j {
					if a := i + l; a+j < s.rows && a/(2*k) == (a+j)/(2*k) {
						r.order(a, a+j)
					}
				}
			}
		}
	}
	for i, v := range r.value {
		s.store(v, Mem{Base: p, Disp: i * s.bytes})
	}
	ADDQ(I32(s.rows*s.bytes), p)
	DECQ(n)
	JNZ(LabelRef("loop"))
	s.end()
}

// rows addresses row i of eight or four that are stride bytes apart.
type strided struct{ one, three, five, seven reg.Register }

func multiples(stride reg.GPVirtual, n int) strided {
	m := strided{one: stride}
	three := GP64()
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, three)
	m.three = three
	if n > 4 {
		five, seven := GP64(), GP64()
		LEAQ(Mem{Base: stride, Index: stride, Scale: 4}, five)
		LEAQ(Mem{Base: three, Index: stride, Scale: 4}, seven)
		m.five, m.seven = five, seven
	}
	return m
}

func (m strided) at(base reg.Register, i int) Mem {
	switch i {
	case 0:
		return Mem{Base: base}
	case 1, 2, 4:
		return Mem{Base: base, Index: m.one, Scale: uint8(i)}
	case 3, 6:
		return Mem{Base: base, Index: m.three, Scale: uint8(i / 3)}
	case 5:
		return Mem{Base: base, Index: m.five, Scale: 1}
	}
	return Mem{Base: base, Index: m.seven, Scale: 1}
}

// merge begins to merge two sorted runs of k rows: row i with row 2k-1-i, then distances k/2 ... h.
func (s set) merge() {
	half := s.rows / 2
	s.start("merge", "func(v *uint64, h int)", fmt.Sprintf("begins to merge two sorted runs of k = %d h rows: it orders row i and row 2k-1-i, then rows at distances k/2, ... h.", half))
	p, h := Load(Param("v"), GP64()), Load(Param("h"), GP64())
	stride := GP64()
	MOVQ(h, stride)
	IMUL3Q(I32(s.bytes), stride, stride)
	m := multiples(stride, half)
	q := GP64() // the last row of the first of the high blocks
	MOVQ(stride, q)
	IMUL3Q(I32(half+1), q, q)
	ADDQ(p, q)
	SUBQ(I32(s.bytes), q)
	Label("loop")
	r := s.registers()
	for i := range half {
		s.load(m.at(p, i), r.value[i])
		s.load(m.at(q, i), r.value[half+i])
	}
	low, high := make([]int, half), make([]int, half)
	for i := range half {
		low[i], high[i] = i, half+i
		r.order(i, s.rows-1-i)
	}
	r.half(half/2, low...)
	r.half(half/2, high...)
	for i := range half {
		s.store(r.value[i], m.at(p, i))
		s.store(r.value[half+i], m.at(q, i))
	}
	ADDQ(I32(s.bytes), p)
	SUBQ(I32(s.bytes), q)
	DECQ(h)
	JNZ(LabelRef("loop"))
	s.end()
}

// clean orders rows at distances rows/2 h, ... h, on each of n blocks of rows h rows.
func (s set) clean(rows int) {
	half := rows / 2
	s.start(fmt.Sprintf("clean%dof", rows), "func(v *uint64, h, blocks int)", fmt.Sprintf("orders rows at distances %d h, ... h in each block of %d h rows.", half, rows))
	p, h, n := Load(Param("v"), GP64()), Load(Param("h"), GP64()), Load(Param("blocks"), GP64())
	stride := GP64()
	MOVQ(h, stride)
	IMUL3Q(I32(s.bytes), stride, stride)
	m := multiples(stride, half)
	q, left, over := GP64(), GP64(), GP64()
	MOVQ(stride, over)
	IMUL3Q(I32(rows-1), over, over)
	Label("block")
	MOVQ(h, left)
	Label("loop")
	LEAQ(Mem{Base: p, Index: stride, Scale: uint8(half)}, q)
	r := s.registers()
	all := make([]int, rows)
	for i := range half {
		s.load(m.at(p, i), r.value[i])
		s.load(m.at(q, i), r.value[half+i])
	}
	for i := range all {
		all[i] = i
	}
	r.half(half, all...)
	for i := range half {
		s.store(r.value[i], m.at(p, i))
		s.store(r.value[half+i], m.at(q, i))
	}
	ADDQ(I32(s.bytes), p)
	DECQ(left)
	JNZ(LabelRef("loop"))
	ADDQ(over, p)
	DECQ(n)
	JNZ(LabelRef("block"))
	s.end()
}

// tail are the last stages, on rows that are neighbours.
func (s set) tail(stages int) {
	s.start(fmt.Sprintf("tail%dof", stages), "func(v *uint64, blocks int)", fmt.Sprintf("orders rows at distances %d, ... 1 in each block of %d rows.", 1<<(stages-1), s.rows))
	p, n := Load(Param("v"), GP64()), Load(Param("blocks"), GP64())
	Label("loop")
	r := s.registers()
	all := make([]int, s.rows)
	for i, v := range r.value {
		s.load(Mem{Base: p, Disp: i * s.bytes}, v)
		all[i] = i
	}
	r.half(1<<(stages-1), all...)
	for i, v := range r.value {
		s.store(v, Mem{Base: p, Disp: i * s.bytes})
	}
	ADDQ(I32(s.rows*s.bytes), p)
	DECQ(n)
	JNZ(LabelRef("loop"))
	s.end()
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
	r := s.registers()
	s.load(Mem{Base: p}, r.value[0])
	s.load(Mem{Base: q}, r.value[1])
	r.order(0, 1)
	s.store(r.value[0], Mem{Base: p})
	s.store(r.value[1], Mem{Base: q})
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

// cost sums |a - b| or its square in float64, of even and of odd rows.
func (s set) cost(p int) {
	s.start(fmt.Sprintf("cost%dof", p), "func(a, b *uint64, n int, even, odd *float64)", fmt.Sprintf("sums |a - b|^%d of keys below 2^52, of even and of odd rows.", p))
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
				s.load(Mem{Base: a}, x)
				s.load(Mem{Base: b}, y)
			} else {
				VPMOVZXDQ(Mem{Base: a, Disp: i * s.bytes / 2}, x)
				VPMOVZXDQ(Mem{Base: b, Disp: i * s.bytes / 2}, y)
			}
			// 2^52 + key is exact, and so is the difference.
			s.xor(magic, x)
			s.xor(magic, y)
			VSUBPD(y, x, x)
			if p == 2 {
				VMULPD(x, x, x)
			} else {
				s.and(positive, x)
			}
			VADDPD(x, sum, sum)
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
