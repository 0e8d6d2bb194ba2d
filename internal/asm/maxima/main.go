// Command asm generates the assembly of package maxima: go run . -out ../maxima_amd64.s
// -stubs ../maxima_amd64.go -pkg maxima
package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	in         = 128 // features of a point
	exactBlock = 4   // points that exact multiplies at once
)

// set is a vector width. Its functions take two vectors of channels at a time.
type set struct {
	name   string // suffix of the functions
	bytes  int    // of a vector
	points int    // of a block
	v      []reg.VecPhysical
}

func main() {
	ConstraintExpr("!purego")
	for _, s := range []set{
		{"512", 64, 8, []reg.VecPhysical{reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7, reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
			reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23}},
		{"256", 32, 4, []reg.VecPhysical{reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7, reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15}},
	} {
		s.largest()
		s.quantise()
		s.screen()
		s.candidates()
		s.exact()
	}
	Generate()
}

func (s set) start(name, signature, doc string) {
	TEXT(name+s.name, attr.NOSPLIT, signature)
	Doc(name + s.name + " " + doc)
	Pragma("noescape")
}

func (s set) end() {
	VZEROUPPER()
	RET()
}

func (s set) clear(r reg.VecPhysical) {
	if s.bytes == 64 {
		VPXORQ(r, r, r)
	} else {
		VPXOR(r, r, r)
	}
}

func (s set) and(x Op, y, to reg.VecPhysical) {
	if s.bytes == 64 {
		VPANDD(x, y, to)
	} else {
		VANDPS(x, y, to)
	}
}

// fold joins the halves of a vector of 512 bits.
func (s set) fold(op func(...Op), r, other reg.VecPhysical) {
	if s.bytes == 64 {
		VEXTRACTF64X4(U8(1), r, other.AsY())
		op(other.AsY(), r.AsY(), r.AsY())
	}
}

// largest finds the scale of the features.
func (s set) largest() {
	s.start("largest", "func(h *float32, points int) float32", "returns the largest absolute value of the features of points.")
	h, points := Load(Param("h"), GP64()), Load(Param("points"), GP64())
	a, b, c, x, absolute := s.v[0], s.v[1], s.v[2], s.v[3], s.v[4]
	s.clear(a)
	s.clear(b)
	bits := GP32()
	MOVL(U32(1<<31-1), bits)
	VMOVD(bits, absolute.AsX())
	VPBROADCASTD(absolute.AsX(), absolute)
	Label("point")
	for at := 0; at < 4*in; at += 2 * s.bytes {
		for i, most := range []reg.VecPhysical{a, b} {
			s.and(Mem{Base: h, Disp: at + i*s.bytes}, absolute, x)
			VMAXPS(x, most, most)
		}
	}
	ADDQ(I32(4*in), h)
	DECQ(points)
	JNZ(LabelRef("point"))
	VMAXPS(b, a, a)
	s.fold(VMAXPS, a, c)
	four, other := a.AsX(), c.AsX()
	VEXTRACTF128(U8(1), a.AsY(), other)
	VMAXPS(other, four, four)
	for _, order := range []uint8{0x4e, 0xb1} {
		VPERMILPS(U8(order), four, other)
		VMAXPS(other, four, four)
	}
	Store(four, ReturnIndex(0))
	s.end()
}

// quantise rounds the features of points, and sums what it takes to bound its errors.
func (s set) quantise() {
	s.start("quantise", "func(h *float32, u *int16, points int, factor float32, sums *float32)",
		"writes the nearest integers of factor h, and for each point the sum of (factor h - integer)^2 and of (factor h)^2.")
	h, u := Load(Param("h"), GP64()), Load(Param("u"), GP64())
	points, sums := Load(Param("points"), GP64()), Load(Param("sums"), GP64())
	factor, residue, norm := s.v[0], s.v[1], s.v[2]
	x, n, r := []reg.VecPhysical{s.v[3], s.v[4]}, []reg.VecPhysical{s.v[5], s.v[6]}, s.v[7]
	f, err := Param("factor").Resolve()
	if err != nil {
		panic(err)
	}
	VBROADCASTSS(f.Addr, factor)
	Label("point")
	s.clear(residue)
	s.clear(norm)
	for at := 0; at < in; at += s.bytes / 2 {
		for i := range 2 {
			VMULPS(Mem{Base: h, Disp: 4*at + i*s.bytes}, factor, x[i])
			VCVTPS2DQ(x[i], n[i])
			VCVTDQ2PS(n[i], r)
			VFMADD231PS(x[i], x[i], norm)
			VSUBPS(r, x[i], r)
			VFMADD231PS(r, r, residue)
		}
		if s.bytes == 64 {
			for i := range 2 {
				VPMOVSDW(n[i], Mem{Base: u, Disp: 2*at + i*s.bytes/2})
			}
		} else {
			VPACKSSDW(n[1], n[0], n[0])
			VPERMQ(U8(0xd8), n[0], n[0])
			VMOVUPS(n[0], Mem{Base: u, Disp: 2 * at})
		}
	}
	s.fold(VADDPS, residue, r)
	s.fold(VADDPS, norm, r)
	VHADDPS(norm.AsY(), residue.AsY(), residue.AsY())
	VEXTRACTF128(U8(1), residue.AsY(), r.AsX())
	VADDPS(r.AsX(), residue.AsX(), residue.AsX())
	VHADDPS(residue.AsX(), residue.AsX(), residue.AsX())
	VMOVSD(residue.AsX(), Mem{Base: sums})
	ADDQ(I32(4*in), h)
	ADDQ(I32(2*in), u)
	ADDQ(I32(8), sums)
	DECQ(points)
	JNZ(LabelRef("point"))
	s.end()
}

// screen multiplies integers.
func (s set) screen() {
	s.start("screen", "func(u, w *int16, blocks int, slack, upper, best *int32)", fmt.Sprintf(
		"writes w'u + slack for blocks of %d points and two vectors of channels, and raises best to the largest w'u - slack.", s.points))
	u, w, blocks := Load(Param("u"), GP64()), Load(Param("w"), GP64()), Load(Param("blocks"), GP64())
	slack, upper, best := Load(Param("slack"), GP64()), Load(Param("upper"), GP64()), Load(Param("best"), GP64())
	sums, rest := s.v[:2*s.points], s.v[2*s.points:]
	weights, x, t, most := rest[0:2], rest[2], rest[3], rest[4:6]
	for i, m := range most {
		VMOVUPS(Mem{Base: best, Disp: i * s.bytes}, m)
	}
	pairs, at := GP64(), GP64()
	Label("block")
	for i := range s.points {
		VPBROADCASTD(Mem{Base: slack, Disp: 4 * i}, sums[2*i])
		VMOVUPS(sums[2*i], sums[2*i+1])
	}
	MOVQ(I32(in/2), pairs)
	MOVQ(w, at)
	Label("pair")
	for i, r := range weights {
		VMOVUPS(Mem{Base: at, Disp: i * s.bytes}, r)
	}
	for i := range s.points {
		VPBROADCASTD(Mem{Base: u, Disp: i * 2 * in}, x)
		for j, r := range weights {
			if s.bytes == 64 {
				VPDPWSSD(r, x, sums[2*i+j])
			} else {
				VPMADDWD(r, x, t)
				VPADDD(t, sums[2*i+j], sums[2*i+j])
			}
		}
	}
	ADDQ(I32(4), u)
	ADDQ(I32(2*s.bytes), at)
	DECQ(pairs)
	JNZ(LabelRef("pair"))
	for i := range s.points {
		VPBROADCASTD(Mem{Base: slack, Disp: 4 * i}, x)
		VPADDD(x, x, x)
		for j := range 2 {
			VMOVUPS(sums[2*i+j], Mem{Base: upper, Disp: (2*i + j) * s.bytes})
			VPSUBD(x, sums[2*i+j], t)
			VPMAXSD(t, most[j], most[j])
		}
	}
	ADDQ(I32((s.points-1)*2*in), u)
	ADDQ(I32(4*s.points), slack)
	ADDQ(I32(2*s.points*s.bytes), upper)
	DECQ(blocks)
	JNZ(LabelRef("block"))
	for i, m := range most {
		VMOVUPS(m, Mem{Base: best, Disp: i * s.bytes})
	}
	s.end()
}

// candidates lists points.
func (s set) candidates() {
	s.start("candidates", "func(upper *int32, points int, below *int32, list *uint64) int",
		"lists the points at which a channel of one vector is above its number in below: the point's number times 2^32 + a bit for each such channel. It returns how many.")
	upper, points := Load(Param("upper"), GP64()), Load(Param("points"), GP64())
	below, list := Load(Param("below"), GP64()), Load(Param("list"), GP64())
	first, at, one, bits := GP64(), GP64(), GP64(), GP64()
	MOVQ(list, first)
	XORQ(at, at)
	MOVQ(U64(1<<32), one)
	limit, x := s.v[0], s.v[1]
	VMOVUPS(Mem{Base: below}, limit)
	Label("point")
	VMOVUPS(Mem{Base: upper}, x)
	if s.bytes == 64 {
		VPCMPGTD(limit, x, reg.K1)
		KMOVW(reg.K1, bits.As32())
	} else {
		VPCMPGTD(limit, x, x)
		VMOVMSKPS(x, bits.As32())
	}
	TESTQ(bits, bits)
	JZ(LabelRef("next"))
	ORQ(at, bits)
	MOVQ(bits, Mem{Base: list})
	ADDQ(I32(8), list)
	Label("next")
	ADDQ(one, at)
	ADDQ(I32(2*s.bytes), upper)
	DECQ(points)
	JNZ(LabelRef("point"))
	SUBQ(first, list)
	SHRQ(U8(3), list)
	Store(list, ReturnIndex(0))
	s.end()
}

// exact multiplies floats, in the order of the features.
func (s set) exact() {
	s.start("exact", "func(h *float32, list *uint64, blocks int, w, z *float32)", fmt.Sprintf(
		"writes w'h of one vector of channels at the points of a list, in blocks of %d: fused products, summed in the order of the features.", exactBlock))
	h, list, blocks := Load(Param("h"), GP64()), Load(Param("list"), GP64()), Load(Param("blocks"), GP64())
	w, z := Load(Param("w"), GP64()), Load(Param("z"), GP64())
	var rows [exactBlock]reg.GPVirtual
	for i := range rows {
		rows[i] = GP64()
	}
	sums, x, weights := s.v[:exactBlock], s.v[exactBlock], s.v[exactBlock+1]
	left, at := GP64(), GP64()
	Label("block")
	for i, r := range rows {
		MOVQ(Mem{Base: list, Disp: 8 * i}, r)
		SHRQ(U8(32), r)
		IMUL3Q(I32(4*in), r, r)
		ADDQ(h, r)
		s.clear(sums[i])
	}
	MOVQ(I32(in), left)
	MOVQ(w, at)
	Label("feature")
	VMOVUPS(Mem{Base: at}, weights)
	for i, r := range rows {
		VBROADCASTSS(Mem{Base: r}, x)
		VFMADD231PS(weights, x, sums[i])
		ADDQ(I32(4), r)
	}
	ADDQ(I32(s.bytes), at)
	DECQ(left)
	JNZ(LabelRef("feature"))
	for i, sum := range sums {
		VMOVUPS(sum, Mem{Base: z, Disp: i * s.bytes})
	}
	ADDQ(I32(8*exactBlock), list)
	ADDQ(I32(exactBlock*s.bytes), z)
	DECQ(blocks)
	JNZ(LabelRef("block"))
	s.end()
}
