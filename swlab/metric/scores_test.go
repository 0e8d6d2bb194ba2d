package metric

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

func matrix(rows, cols int, v ...float64) Matrix {
	return Matrix{Rows: rows, Cols: cols, Values: v, MatchedMass: 1}
}

// TestScoresByHand: two generated clouds, three references, an asymmetric distance.
func TestScoresByHand(t *testing.T) {
	gg := matrix(2, 2,
		0, 2.5,
		9, 0)
	gr := matrix(2, 3,
		5, 2, 8,
		6, 3, 4)
	rr := matrix(3, 3,
		0, 1, 7,
		7, 0, 9,
		3, 7, 0)
	got, err := NewScores(gg, gr, rr)
	// Columns of the table, without the diagonal, are
	//   g0: g1 9, r 5 2 8: r1, wrong        g1: g0 2.5, r 6 3 4: g0, right
	//   r0: g 5 6, r1 7, r2 3: r2, right    r1: g 2 3, r0 1, r2 7: r0, right    r2: g 8 4, r0 7, r1 9: g1, wrong
	want := Scores{MMDPaper: (2 + 3) / 2., MMDStandard: (5 + 2 + 4) / 3., COVPaper: 1, COVStandard: 1 / 3., NNA: 3 / 5.,
		NNAGenerated: 1 / 2., NNAReference: 2 / 3.}
	if err != nil || math.Abs(got.MMDStandard-want.MMDStandard) > 1e-15 {
		t.Fatalf("%+v, %v", got, err)
	}
	if got.MMDStandard = want.MMDStandard; got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	// Rows in place of columns would be another number: the asymmetric blocks are read as described.
	transposed := matrix(2, 2, 0, 9, 2.5, 0)
	if other, err := NewScores(transposed, gr, rr); err != nil || other.NNAGenerated != 0 {
		t.Errorf("the distances among generated clouds transposed: %+v, %v", other, err)
	}
}

// TestScoresBruteForce follows the definitions in another way on random matrices with many ties and unequal sets.
func TestScoresBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	for range 200 {
		n, k := 1+r.IntN(5), 1+r.IntN(5)
		random := func(rows, cols int) Matrix {
			v := make([]float64, rows*cols)
			for i := range v {
				v[i] = float64(r.IntN(6))
			}
			return matrix(rows, cols, v...)
		}
		gg, gr, rr := random(n, n), random(n, k), random(k, k)
		got := must.M1(NewScores(gg, gr, rr))
		var want Scores
		generated, reference := make([]bool, n), make([]bool, k)
		for i := range n {
			at := 0
			for j := range k {
				if gr.Values[i*k+j] < gr.Values[i*k+at] {
					at = j
				}
			}
			want.MMDPaper += gr.Values[i*k+at]
			reference[at] = true
		}
		for j := range k {
			at := 0
			for i := range n {
				if gr.Values[i*k+j] < gr.Values[at*k+j] {
					at = i
				}
			}
			want.MMDStandard += gr.Values[at*k+j]
			generated[at] = true
		}
		count := func(v []bool) (c float64) {
			for _, b := range v {
				if b {
					c++
				}
			}
			return c
		}
		want.MMDPaper /= float64(n)
		want.MMDStandard /= float64(k)
		want.COVPaper, want.COVStandard = count(generated)/float64(n), count(reference)/float64(k)
		// The whole table, as the released code builds it.
		all := n + k
		table := make([][]float64, all)
		for a := range table {
			table[a] = make([]float64, all)
			for b := range table[a] {
				switch {
				case a == b:
					table[a][b] = math.Inf(1)
				case a < n && b < n:
					table[a][b] = gg.Values[a*n+b]
				case a >= n && b >= n:
					table[a][b] = rr.Values[(a-n)*k+b-n]
				case a < n:
					table[a][b] = gr.Values[a*k+b-n]
				default:
					table[a][b] = gr.Values[b*k+a-n] // the transpose
				}
			}
		}
		for b := range all {
			at := 0
			for a := range all {
				if table[a][b] < table[at][b] {
					at = a
				}
			}
			if (at < n) == (b < n) {
				want.NNA++
				if b < n {
					want.NNAGenerated++
				} else {
					want.NNAReference++
				}
			}
		}
		want.NNA /= float64(all)
		want.NNAGenerated /= float64(n)
		want.NNAReference /= float64(k)
		for _, c := range [][2]float64{
			{got.MMDPaper, want.MMDPaper}, {got.MMDStandard, want.MMDStandard}, {got.COVPaper, want.COVPaper},
			{got.COVStandard, want.COVStandard},
			{got.NNA, want.NNA}, {got.NNAGenerated, want.NNAGenerated}, {got.NNAReference, want.NNAReference},
		} {
			if math.Abs(c[0]-c[1]) > 1e-14 {
				t.Fatalf("%+v, want %+v for %v %v %v", got, want, gg, gr, rr)
			}
		}
	}
}

func TestScoresRefuse(t *testing.T) {
	for says, m := range map[string][3]Matrix{
		"generated to generated: expected a matrix [1, 1] that is not empty, found [2, 2] with 4 values": {matrix(2, 2, 0, 1,
			1, 0), matrix(1, 1, 1), matrix(1, 1, 0)},
		"reference to reference: expected a matrix [1, 1] that is not empty, found [1, 1] with 0 values": {matrix(1, 1, 0),
			matrix(1, 1, 1), matrix(1, 1)},
		"generated to reference: expected a matrix [0, 0] that is not empty, found [0, 0] with 0 values": {},
		"generated to reference: expected finite numbers, found NaN for clouds 0 and 1": {matrix(1, 1, 0),
			matrix(1, 2, 1, math.NaN()), matrix(2, 2, 0, 1, 1, 0)},
	} {
		if _, err := NewScores(m[0], m[1], m[2]); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, expected %q", err, says)
		}
	}
}
