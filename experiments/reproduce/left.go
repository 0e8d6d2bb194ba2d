package reproduce

import "github.com/sliced-wasserstein/lab/experiments/runs"

// Left counts the missing runs of schedules and what they need, and the trainings of autoencoders
// among them. A run that several of them need counts once.
func Left(l *runs.Store, schedules ...*Schedule) (all, trainings int) {
	seen := map[string]bool{}
	var add func(r runs.Task)
	add = func(r runs.Task) {
		hash := runs.Hash(r)
		if seen[hash] || l.Done(r) {
			return
		}
		seen[hash] = true
		for _, n := range r.Needs() {
			add(n)
		}
		all++
		if r.Kind() == (runs.Training{}).Kind() {
			trainings++
		}
	}
	for _, p := range schedules {
		for _, j := range p.Missing(l) {
			for _, r := range j.Runs {
				add(r.Run)
			}
		}
	}
	return all, trainings
}
