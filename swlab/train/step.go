package train

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

// trainer takes the steps of a model, with all state on the device.
type trainer struct {
	programs
	model   Model
	seed    uint64
	batches *batches
	state   State[tensor]
}

// newTrainer puts the state of a checkpoint on the device. The caller keeps the batches.
func newTrainer(m Model, p programs, seed uint64, data *batches, c checkpoint) *trainer {
	return &trainer{programs: p, model: m, seed: seed, batches: data, state: m.upload(c)}
}

// close frees the state on the device.
func (t *trainer) close() { engine.Free(t.state) }

// step takes step n, counted from 1, on the clouds of those rows, in the order of the released code:
//
//  1. y = g(f(x)) with the batch's statistics;
//  2. amortized losses: J = mean over pairs of the loss with locations a_psi(x, y); one Adam ASCENT
//     step on psi, or AmortizerSteps of them, each on fresh slices;
//  3. losses whose location is found by ascent: that ascent, in fine-tuning from the new prediction;
//  4. the loss with locations from the UPDATED psi, detached, and fresh slices; its gradient in y;
//  5. one SGD step of the autoencoder.
//
// Simultaneous, CommonSlices, LocationGradient and OtherLocation change part 4. Record.Skipped says what is not finite.
func (t *trainer) step(n int, rows []int32) (Record, error) {
	s := &step{trainer: t, Record: Record{Step: n}}
	defer s.free()
	take := s.run
	if t.undivided {
		take = s.once
	}
	err := take(rows)
	s.Skipped = s.notFinite()
	return s.Record, err
}

// step is the state of one step.
type step struct {
	*trainer
	Record
	x, y, random tensor            // random is the random state
	buffers      map[string]tensor // the new running statistics, until they are part of the state
	kept         []tensor          // for the backward pass
	draw         drawIn[tensor]
	drawn        drawOut[tensor] // the directions of the loss; empty: not drawn yet
	pairs        *loss.HostPairs // of x and y, where plain Go finds costs; else nil
	gradientY    tensor
	zero         float64 // of the new weights: not 0 if one is not finite
	garbage      []any
}

func (s *step) run(rows []int32) error {
	if err := s.forward(rows); err != nil {
		return err
	}
	if err := s.ascendAmortizer(); err != nil {
		return err
	}
	if err := s.ascendLocation(); err != nil {
		return err
	}
	if err := s.lossGradient(); err != nil {
		return err
	}
	return s.backward()
}

// later frees values at the end of the step.
func (s *step) later(values ...any) { s.garbage = append(s.garbage, values...) }

func (s *step) free() { engine.Free(append(s.garbage, s.buffers)...) }

// once is the step in one program.
func (s *step) once(rows []int32) error {
	random, err := s.randomState(stepStream)
	if err != nil {
		return err
	}
	clouds, at, err := s.batches.next(rows)
	if err != nil {
		return err
	}
	s.later(at)
	defer s.batches.used(clouds)
	out, err := s.whole.Call(wholeIn[tensor]{clouds, at, random, s.state.Net, s.state.Momentum})
	if err != nil {
		return err
	}
	s.later(s.state.Net, s.state.Momentum, out.Loss, out.Zero)
	s.state.Net, s.state.Momentum = out.Net, out.Momentum
	s.Loss, s.zero = take(out.Loss), take(out.Zero)
	return nil
}

// forward is part 1.
func (s *step) forward(rows []int32) error {
	random, err := s.randomState(stepStream)
	if err != nil {
		return err
	}
	clouds, at, err := s.batches.next(rows)
	if err != nil {
		return err
	}
	s.later(at)
	defer s.batches.used(clouds)
	out, err := s.programs.forward.Call(forwardIn[tensor]{clouds, at, random, s.state.Net})
	if err != nil {
		return err
	}
	s.later(out.X, out.Random, out.Kept)
	s.buffers = out.Buffers
	decoded := out.Decoded
	if s.hostMaxima {
		defer engine.Free(out.Features, out.Weight)
		maxima, err := s.model.Net.FirstMaxima(out.Features, out.Weight)
		if err != nil {
			return err
		}
		s.later(maxima) // in plain Go's memory, which a program that reads it needs
		if decoded, err = s.decode.Call(decodeIn[tensor]{out.Features, maxima, s.state.Net}); err != nil {
			return err
		}
	}
	s.later(decoded.Y, decoded.Kept)
	s.x, s.y, s.random = out.X, decoded.Y, out.Random
	s.kept = append(out.Kept, decoded.Kept...)
	maps.Copy(s.buffers, decoded.Buffers)
	s.draw = drawIn[tensor]{X: s.x, Y: s.y, Weights: s.state.Amortizer.Weights}
	if s.onHost || s.model.Plan {
		s.pairs, err = s.model.Loss.(loss.Sliced).HostPairs(s.x, s.y)
	}
	return err
}

// randomState is the state of the step's random numbers for that purpose.
func (s *step) randomState(purpose uint64) (tensor, error) {
	r, err := graph.RNGStateFromSeed(int64(stream(s.seed, s.Step, purpose)))
	if err == nil {
		s.later(r)
	}
	return r, err
}

// ascendAmortizer is part 2.
func (s *step) ascendAmortizer() (err error) {
	if len(s.model.Loss.Specs()) == 0 {
		return nil
	}
	random := s.random
	if s.maximizer != nil {
		if random, err = s.randomState(predictStream); err != nil {
			return err
		}
	}
	steps := max(s.model.AmortizerSteps, 1)
	for i := range steps {
		in := ascendIn[tensor]{X: s.x, Y: s.y, Random: random, Amortizer: s.state.Amortizer}
		planCost := 0.0 // at the location
		if s.onHost || s.model.Plan {
			drawn, err := s.programs.draw.Call(drawIn[tensor]{X: s.x, Y: s.y, Random: random, Weights: in.Amortizer.Weights})
			if err != nil {
				return err
			}
			s.later(drawn)
			if s.model.Plan {
				in.Costs, planCost, err = s.planCosts(drawn)
			} else {
				in.Costs, in.Slopes, err = s.pairs.Slopes(drawn.Directions)
			}
			if err != nil {
				return err
			}
			s.later(in.Costs, in.Slopes)
			if s.onHost && steps == 1 && s.maximizer == nil && !s.model.LocationGradient { // one program for both
				in.Draw = drawIn[tensor]{X: s.x, Y: s.y}
				if s.model.CommonSlices {
					in.Draw.Random = s.random
				}
			}
		}
		out, err := s.ascend.Call(in)
		if err != nil {
			return err
		}
		s.later(in.Amortizer, out.Objective, out.Zero, out.Before, out.Random, out.Drawn)
		s.state.Amortizer, random, s.drawn = out.Amortizer, out.Random, out.Drawn
		s.zero += take(out.Zero)
		if i == 0 {
			s.Objective, s.draw.Before = new(take(out.Objective)), out.Before
			if s.model.Plan {
				s.Objective = &planCost
			}
		}
	}
	s.draw.Updated = s.state.Amortizer.Weights
	if !s.model.Simultaneous {
		s.draw.Weights = s.draw.Updated
	}
	if !s.model.CommonSlices && s.maximizer == nil {
		s.random = random
	}
	return nil
}

// ascendLocation is part 3.
func (s *step) ascendLocation() error {
	if s.maximizer == nil {
		return nil
	}
	var from tensor
	if len(s.draw.Weights) > 0 {
		s.draw.Random = s.random
		predicted, err := s.programs.draw.Call(s.draw)
		if err != nil {
			return err
		}
		s.later(predicted)
		from = predicted.Location
		if predicted.Report.Angle != nil {
			s.AscentAngle = new(take(predicted.Report.Angle))
		}
		s.draw.Before, s.draw.Updated = nil, nil
	}
	location, err := s.maximizer.Maximize(int64(stream(s.seed, s.Step, maximizeStream)), from, s.x, s.y)
	s.later(location)
	s.draw.Location = location
	return err
}

// lossGradient is part 4.
func (s *step) lossGradient() error {
	s.draw.Random = s.random
	if !s.onHost {
		out, err := s.gradient.Call(gradientIn[tensor]{Draw: s.draw})
		if err != nil {
			return err
		}
		s.later(out)
		s.Loss, s.gradientY = take(out.Loss), out.Y
		s.read(out.Report)
		return nil
	}
	drawn, err := s.drawn, error(nil)
	if drawn.Directions == nil {
		if drawn, err = s.programs.draw.Call(s.draw); err != nil {
			return err
		}
		s.later(drawn)
	}
	s.read(drawn.Report)
	if s.model.Loss.(loss.Sliced).Linear() && !s.model.LocationGradient {
		s.Loss, s.gradientY, err = s.pairs.Gradient(drawn.Directions, nil)
		s.later(s.gradientY)
		return err
	}
	in := gradientIn[tensor]{Draw: s.draw, Directions: drawn.Directions}
	if s.model.LocationGradient {
		in.Costs, in.Slopes, err = s.pairs.Slopes(drawn.Directions)
	} else {
		in.Costs, err = s.pairs.Costs(drawn.Directions)
	}
	if err != nil {
		return err
	}
	s.later(in.Costs, in.Slopes)
	out, err := s.gradient.Call(in)
	if err != nil {
		return err
	}
	s.later(out)
	s.Loss = take(out.Loss)
	_, s.gradientY, err = s.pairs.Gradient(drawn.Directions, out.Costs)
	s.later(s.gradientY)
	if err != nil || out.Y == nil {
		return err
	}
	return add(s.gradientY, out.Y)
}

// add adds b to a.
func add(a, b tensor) error {
	more, err := tensors.CopyFlatData[float32](b)
	if err != nil {
		return err
	}
	return tensors.MutableFlatData(a, func(a []float32) {
		for i, v := range more {
			a[i] += v
		}
	})
}

// read takes what a step reports about its directions.
func (r *Record) read(p report[tensor]) {
	if p.Angle != nil {
		r.AscentAngle = new(take(p.Angle))
	}
	if p.Direction != nil {
		for _, x := range p.Direction.Value().([]float32) {
			r.Direction = append(r.Direction, float64(x))
		}
	}
}

// backward is part 5.
func (s *step) backward() error {
	out, err := s.programs.backward.Call(
		backwardIn[tensor]{s.x, s.gradientY, s.state.Net, s.state.Momentum, s.buffers, s.kept})
	if err != nil {
		return err
	}
	zero, err := tensors.CopyFlatData[float32](out.Zero) // waits for the results
	if err != nil {
		s.later(out)
		return err
	}
	s.zero += float64(zero[0])
	s.later(s.state.Net, s.state.Momentum, out.Zero)
	maps.Copy(out.Net, s.buffers)
	s.state.Net, s.state.Momentum, s.buffers = out.Net, out.Momentum, nil
	return nil
}

// notFinite says what is not finite after the step; "" if all is. A gradient that is not makes a weight that is not.
func (s *step) notFinite() string {
	if !vec.Finite(s.Loss) {
		return fmt.Sprintf("the loss is %v", s.Loss)
	}
	for _, x := range []*float64{s.Objective, s.AscentAngle} {
		if x != nil && !vec.Finite(*x) {
			return fmt.Sprintf("the objective of the ascent or its angle is %v", *x)
		}
	}
	switch {
	case !vec.Finite(s.Direction...):
		return "the direction is not finite"
	case s.zero != 0:
		return "a weight is not finite after the update, so the gradient was not"
	}
	return ""
}

// take reads a number on the device.
func take(v tensor) float64 { return float64(v.Value().(float32)) }

// evaluate returns the losses [batch] of x [batch, m, 3] with the network in evaluation mode and the
// amortizer as it is.
func (t *trainer) evaluate(x tensor, seed uint64) (losses []float32, err error) {
	seeded := *t
	seeded.seed = seed
	s := &step{trainer: &seeded, x: x}
	defer s.free()
	if s.random, err = graph.RNGStateFromSeed(int64(seed)); err != nil {
		return nil, err
	}
	s.later(s.random)
	out, err := t.programs.forward.Call(forwardIn[tensor]{Clouds: x, Net: t.state.Net})
	if err != nil {
		return nil, err
	}
	s.y = out.Decoded.Y
	s.later(s.y)
	s.draw = drawIn[tensor]{X: x, Y: s.y, Random: s.random, Weights: t.state.Amortizer.Weights}
	if err := s.ascendLocation(); err != nil {
		return nil, err
	}
	in := gradientIn[tensor]{Draw: s.draw}
	if t.onHost {
		drawn, err := t.draw.Call(in.Draw)
		if err != nil {
			return nil, err
		}
		s.later(drawn)
		in.Directions = drawn.Directions
		pairs, err := t.model.Loss.(loss.Sliced).HostPairs(x, s.y)
		if err != nil {
			return nil, err
		}
		if in.Costs, err = pairs.Costs(drawn.Directions); err != nil {
			return nil, err
		}
		s.later(in.Costs)
	}
	values, err := t.value.Call(in)
	if err != nil {
		return nil, err
	}
	s.later(values)
	return tensors.CopyFlatData[float32](values.Pairs)
}

// Record is one line of log.jsonl.
type Record struct {
	Step      int      `json:"step"`             // 1 is the first
	Epoch     int      `json:"epoch"`            // 0 is the first
	Loss      float64  `json:"loss"`             // the minimised loss, mean over the batch
	Objective *float64 `json:"ascent,omitempty"` // the amortizer's objective before its update: the loss or, for Config.Objective plan, the cost of the plan at the location
	// Mean angle in degrees by which the ascent turned the predicted directions; amortized losses
	// only.
	AscentAngle *float64 `json:"ascent_angle_deg,omitempty"`
	// Mean over the batch of the unit locations of the slices, or of the single slices of a loss
	// without a location; nil for other losses. Its length is 1 where all pairs have one direction.
	Direction []float64 `json:"direction,omitempty"`
	// Skipped says why the step was left out (Options.OnNonfinite); "" for a step that was taken. Its
	// line in the log has no loss, and Loss is NaN.
	Skipped string  `json:"skipped,omitempty"`
	Seconds float64 `json:"seconds"` // of this step
}

// MarshalJSON leaves out the numbers of a skipped step.
func (r Record) MarshalJSON() ([]byte, error) {
	if r.Skipped != "" {
		return json.Marshal(struct {
			Step    int     `json:"step"`
			Epoch   int     `json:"epoch"`
			Skipped string  `json:"skipped"`
			Seconds float64 `json:"seconds"`
		}{r.Step, r.Epoch, r.Skipped, r.Seconds})
	}
	type plain Record
	return json.Marshal(plain(r))
}
