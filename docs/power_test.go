package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sliced-wasserstein/lab/experiments/table"
)

// alike are the rows of which results/power.md takes the spread: the sliced losses that train as
// well as SW.
var alike = []string{"sw", "asw", "v-dsw-T50", "l-v-dsw", "g-v-dsw", "n-v-dsw", "a-v-dsw", "ea-v-dsw", "la-v-dsw", "v-dsw-T50-moving", "la-v-dsw-kappa0.1", "la-sorted-v-dsw"}

// TestPower: the table of results/power.md follows from the committed results.
func TestPower(t *testing.T) {
	page, err := os.ReadFile("results/power.md")
	if err != nil {
		t.Fatal(err)
	}
	f, err := table.ReadFile("results/short_reconstruction_result-quick.json")
	if err != nil {
		t.Fatal(err)
	}
	var resolved, paper strings.Builder
	relative := map[string]float64{} // standard deviation of a paired difference
	for _, c := range []struct{ key, name string }{{"cd", "CD"}, {"sw", "SW"}, {"emd", "EMD"}, {"emd_exact", "EMD exact"}, {"acc", "Acc"}} {
		var values [][]float64 // by row and seed
		for _, id := range alike {
			row := slices.Clone(f.Cells[id][c.key].Values)
			floats.Scale(f.Table.Columns[indexOf(f.Table, c.key)].Scale, row)
			values = append(values, row)
		}
		level, within, paired := spread(values)
		relative[c.key] = paired / level
		fmt.Fprintf(&resolved, "| %s | %.1f | %.2f | %.2f |", c.name, level, within, paired)
		for _, seeds := range []int{3, 5, 10} {
			d := paired * detectable(seeds)
			fmt.Fprintf(&resolved, " %.2f (%.1f %%) |", d, 100*d/level)
		}
		resolved.WriteString("\n")
	}
	printed := map[string]table.Row{}
	for _, r := range f.Table.Rows {
		printed[r.ID] = r
	}
	for _, pair := range [][2]string{{"la-v-dsw", "sw"}, {"la-v-dsw", "v-dsw-T50"}, {"la-v-dsw", "a-v-dsw"}, {"la-v-dsw", "n-v-dsw"}, {"ea-v-dsw", "n-v-dsw"}} {
		a, b := printed[pair[0]], printed[pair[1]]
		fmt.Fprintf(&paper, "| %s, %s |", a.Name, b.Name)
		for _, key := range []string{"sw", "emd", "acc"} {
			d := math.Abs(a.Paper[key].Mean-b.Paper[key].Mean) / b.Paper[key].Mean
			n := 2
			for relative[key]*detectable(n) > d && n <= 50 {
				n++
			}
			seeds := fmt.Sprint(n)
			if n > 50 {
				seeds = "more than 50"
			}
			fmt.Fprintf(&paper, " %.1f %%: %s |", 100*d, seeds)
		}
		paper.WriteString("\n")
	}
	for _, want := range []string{resolved.String(), paper.String()} {
		if !strings.Contains(string(page), want) {
			t.Errorf("results/power.md lacks these lines:\n%s", want)
		}
	}
}

func indexOf(t table.Table, key string) int {
	for i, c := range t.Columns {
		if c.Key == key {
			return i
		}
	}
	return -1
}

// spread returns the mean of the values [row][seed], the standard deviation between seeds within a
// row, and that of the difference of two rows at one seed: sqrt(2) times the residual of row +
// seed.
func spread(x [][]float64) (level, within, paired float64) {
	n := len(x[0])
	seeds := make([]float64, n)
	var rows []float64
	for _, row := range x {
		m, v := stat.MeanVariance(row, nil)
		rows, within = append(rows, m), within+v/float64(len(x))
		for j, v := range row {
			seeds[j] += v / float64(len(x))
		}
	}
	level = stat.Mean(rows, nil)
	sum := 0.0
	for i, row := range x {
		for j, v := range row {
			r := v - rows[i] - seeds[j] + level
			sum += r * r
		}
	}
	return level, math.Sqrt(within), math.Sqrt(2 * sum / float64((len(x)-1)*(n-1)))
}

// detectable returns the mean of n normal differences of deviation 1 that a two-sided t-test at 5 %
// finds in 80 of 100 experiments. Given the sample deviation s, whose square is chi-squared, the
// test finds the mean d with probability Phi(d sqrt(n) - t s) + Phi(-d sqrt(n) - t s).
func detectable(n int) float64 {
	nu, nodes := float64(n-1), 100
	p, weight := make([]float64, nodes), make([]float64, nodes)
	quad.Legendre{}.FixedLocations(p, weight, 0, 1)
	critical := distuv.StudentsT{Sigma: 1, Nu: nu}.Quantile(0.975)
	for i := range p {
		p[i] = critical * math.Sqrt(distuv.ChiSquared{K: nu}.Quantile(p[i])/nu)
	}
	lo, hi := 0.0, 100.0
	for hi-lo > 1e-9 {
		mid, power := (lo+hi)/2, 0.0
		for i, s := range p {
			shift := mid * math.Sqrt(float64(n))
			power += weight[i] * (distuv.UnitNormal.CDF(shift-s) + distuv.UnitNormal.CDF(-shift-s))
		}
		if power < 0.8 {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

// TestDetectable simulates experiments with the difference that 80 of 100 should find.
func TestDetectable(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const experiments = 40000
	for _, n := range []int{3, 5, 10} {
		critical := distuv.StudentsT{Sigma: 1, Nu: float64(n - 1)}.Quantile(0.975)
		found, d := 0, detectable(n)
		x := make([]float64, n)
		for range experiments {
			for i := range x {
				x[i] = d + rng.NormFloat64()
			}
			m, v := stat.MeanVariance(x, nil)
			if math.Abs(m)/math.Sqrt(v/float64(n)) > critical {
				found++
			}
		}
		if p := float64(found) / experiments; math.Abs(p-0.8) > 0.01 { // five standard errors
			t.Errorf("%d differences of mean %.3f: found in %.3f", n, d, p)
		}
	}
}
