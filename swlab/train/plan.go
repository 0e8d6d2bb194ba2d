package train

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
)

// The cost c(theta) of a direction's plan in space (package plan) is constant where the order of the
// projections is, so its derivative says nothing. Its mean over a von Mises-Fisher distribution around the location
// eps is smooth, and its gradient along the sphere needs no derivative of c (the score function; Williams 1992):
//
//	grad E c(theta) = kappa E[ (c(theta) - b) tanh(kappa eps'theta) theta ]
//
// theta and -theta have one plan, and tanh is the mean of their signs. b is the mean cost of the other
// directions of the pair, which keeps the estimate unbiased. The location of least mean is what the amortizer learns; the cost at the location
// itself is reported.

// planObjective is the value of Config.Objective for Model.Plan.
const planObjective = "plan"

// vmf returns the distribution around the prediction whose mean cost is lowered.
func (m Model) vmf() (slicing.VMF, bool) {
	l, ok := m.predicts()
	v, is := l.Slicer.Distribution.(slicing.VMF)
	return v, ok && is && l.Slicer.Slices > 1
}

// checkPlan rejects Plan for losses without such a distribution.
func (m Model) checkPlan() error {
	if v, ok := m.vmf(); m.Plan && !(ok && v.Kappa > 0) {
		return fmt.Errorf("objective: %s lowers the mean cost of plans over at least 2 directions of a von Mises-Fisher distribution with kappa > 0, whose location an amortizer predicts without fine-tuning (v-dsw), found %s",
			planObjective, m.Loss.Name())
	}
	return nil
}

// planCosts are the costs of the plans of drawn directions, [batch, slices], and the mean over the batch
// of that at the location.
func (s *step) planCosts(drawn drawOut[tensor]) (costs tensor, atLocation float64, err error) {
	if costs, err = s.pairs.PlanCosts(drawn.Directions); err != nil {
		return nil, 0, err
	}
	flat, err := tensors.CopyFlatData[float32](drawn.Location)
	if err != nil {
		return nil, 0, err
	}
	d := drawn.Location.Shape().Dimensions
	location := tensors.FromFlatDataAndDimensions(flat, d[0], 1, d[1])
	s.later(location)
	at, err := s.pairs.PlanCosts(location)
	if err != nil {
		return nil, 0, err
	}
	s.later(at)
	values, err := tensors.CopyFlatData[float32](at)
	for _, v := range values {
		atLocation += float64(v) / float64(len(values))
	}
	return costs, atLocation, err
}

// planGain is a function of the predicted locations whose gradient is minus that of the mean cost of
// plans, for costs [batch, slices] of the directions that draw drew from Random. It returns the
// locations, too.
func (m Model) planGain(src slicing.Source, in ascendIn[node], x, y node) (gain, location node) {
	slicer, v := m.Loss.(loss.Sliced).Slicer, m.Loss.(loss.Sliced).Slicer.Distribution.(slicing.VMF)
	location = slicer.Location(src, in.Amortizer.Weights, nil, x, y)
	directions := graph.StopGradient(slicer.Draw(src, location, x, y))
	along := graph.ReduceSum(graph.Mul(directions, graph.InsertAxes(location, 1)), -1)
	above := graph.Sub(in.Costs, graph.ReduceAndKeep(in.Costs, graph.ReduceMean, -1))
	weight := graph.Mul(above, graph.StopGradient(graph.Tanh(graph.MulScalar(along, v.Kappa))))
	each := v.Kappa / float64((slicer.Slices-1)*along.Shape().Dimensions[0])
	return graph.Neg(graph.MulScalar(graph.ReduceAllSum(graph.Mul(weight, along)), each)), location
}
