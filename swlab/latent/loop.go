package latent

import "context"

// train takes a step on every batch of every epoch. step gets its number, from 1, and the batch's
// rows, and returns the loss; after gets the mean of an epoch's losses. train ends at the first
// error, and between two steps with ctx's when ctx is done.
func train(ctx context.Context, epochs int, batches func(epoch int) [][]int32,
	step func(step int, rows []int32) (loss float64, err error), after func(epoch int, mean float64)) error {
	n := 0
	for epoch := range epochs {
		sum, all := 0.0, batches(epoch)
		for _, rows := range all {
			if err := ctx.Err(); err != nil {
				return err
			}
			n++
			loss, err := step(n, rows)
			if err != nil {
				return err
			}
			sum += loss
		}
		after(epoch, sum/float64(len(all)))
	}
	return nil
}
