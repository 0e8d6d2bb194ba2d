package ot

// certify computes the potentials of the rows, u_i = min_j c_ij - v_j up to rounding, and checks
// all pairs.
func (s *solver) certify() *Assignment {
	m := s.m
	a := &Assignment{Match: s.colOf, V: s.v, U: make([]float64, m)}
	slack := make([]float64, m)
	parallel(m, 16, func(from, to int) {
		type pair struct {
			j    int
			cost float64
		}
		var tight []pair
		for i := from; i < to; i++ {
			u := s.cost[i] - s.v[s.colOf[i]]
			tight = tight[:0]
			s.c.violations(i, u, s.v, func(j int, cost float64) { tight = append(tight, pair{j, cost}) })
			for _, p := range tight {
				u = min(u, p.cost-s.v[p.j])
			}
			for _, p := range tight {
				slack[i] = max(slack[i], u+s.v[p.j]-p.cost)
			}
			a.U[i] = u
		}
	})
	for i, j := range a.Match {
		c := s.c.at(i, int(j))
		a.Cost += c
		a.DualityGap += c - s.v[j] - a.U[i]
		a.Slack = max(a.Slack, slack[i])
	}
	return a
}
