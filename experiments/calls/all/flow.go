package all

import (
	"fmt"
	"slices"

	"github.com/sliced-wasserstein/lab/experiments/calls"
	"github.com/sliced-wasserstein/lab/experiments/flow"
	"github.com/sliced-wasserstein/lab/vmfviz"
)

// films are the flows of a picture.
func films(r *calls.Request, s pictureSettings) (all []flow.Film, err error) {
	labels, err := s.names()
	if err != nil {
		return nil, err
	}
	target, err := r.Clouds("target")
	if err != nil {
		return nil, err
	}
	w2, _ := r.Wide("w2")
	steps, _ := r.Array("steps").Values.([]int32)
	for k, name := range labels {
		set, err := r.Clouds(fmt.Sprintf("frames%d", k))
		if err != nil {
			return nil, err
		}
		f := &flow.Flow{}
		for i := range set.Clouds {
			f.Frames = append(f.Frames, flow.Frame{Step: int(steps[i]), Points: inSpace(set.Cloud(i), set.Dim), EMD: w2[k*set.Clouds+i]})
		}
		all = append(all, flow.Film{Caption: name, Target: inSpace(target.Coords, target.Dim), Flow: f})
	}
	return all, nil
}

// drawFlows draws four states of every flow, over the target.
func drawFlows(r *calls.Request, s pictureSettings) (*vmfviz.Picture, error) {
	all, err := films(r, s)
	if err != nil {
		return nil, err
	}
	o := vmfviz.CloudsOptions{Title: s.Title, Cell: 110}
	if r.Array("target").Shape[2] == 2 {
		o.View = vmfviz.From(0, 0)
	}
	var rows []vmfviz.CloudRow
	for k, f := range all {
		row := vmfviz.CloudRow{Caption: f.Caption, Role: vmfviz.Output, Behind: f.Target}
		last := len(f.Flow.Frames) - 1
		for _, i := range []int{0, last / 10, last / 3, last} {
			row.Clouds = append(row.Clouds, f.Flow.Frames[i].Points)
			if k == 0 {
				o.Columns = append(o.Columns, fmt.Sprintf("step %d", f.Flow.Frames[i].Step))
			}
		}
		rows = append(rows, row)
	}
	return vmfviz.Clouds(o, rows...)
}

// drawLooks draws what a network made of some clouds after some steps of its training.
func drawLooks(r *calls.Request, s pictureSettings) (*vmfviz.Picture, error) {
	watched, err := r.Clouds("watched")
	if err != nil {
		return nil, err
	}
	all, err := looks(r, s)
	if err != nil {
		return nil, err
	}
	o := vmfviz.CloudsOptions{Title: s.Title, Cell: 110, Together: true}
	input := vmfviz.CloudRow{Caption: "input", Role: vmfviz.Input}
	last := len(all[0].Flow.Frames) - 1
	var rows []vmfviz.CloudRow
	for _, i := range slices.Compact([]int{min(1, last), (last + 4) / 5, last}) {
		row := vmfviz.CloudRow{Caption: fmt.Sprintf("step %d", all[0].Flow.Frames[i].Step), Role: vmfviz.Output}
		for _, f := range all {
			row.Clouds = append(row.Clouds, f.Flow.Frames[i].Points)
		}
		rows = append(rows, row)
	}
	for k, f := range all {
		o.Columns, input.Clouds = append(o.Columns, f.Caption), append(input.Clouds, watched.Cloud(k))
	}
	return vmfviz.Clouds(o, append([]vmfviz.CloudRow{input}, rows...)...)
}

// looks are the films of a training, one for each watched cloud.
func looks(r *calls.Request, s pictureSettings) (all []flow.Film, err error) {
	labels, err := s.names()
	if err != nil {
		return nil, err
	}
	watched, err := r.Clouds("watched")
	if err != nil {
		return nil, err
	}
	set, err := r.Clouds("looks")
	if err != nil {
		return nil, err
	}
	steps, _ := r.Array("steps_of_looks").Values.([]int32)
	for k, name := range labels {
		cloud, f := watched.Select([]int{k}), &flow.Flow{}
		for i, step := range steps {
			look := set.Select([]int{i*watched.Clouds + k})
			w2, err := flow.EMD(cloud, look)
			if err != nil {
				return nil, err
			}
			f.Frames = append(f.Frames, flow.Frame{Step: int(step), Points: look.Coords, EMD: w2})
		}
		all = append(all, flow.Film{Caption: name, Target: cloud.Coords, Flow: f})
	}
	return all, nil
}
