// Package all registers the calls beside those of package calls: of sets, plans and tests, and those that draw
// pictures, train networks and make tables.
package all

import "github.com/sliced-wasserstein/lab/experiments/calls"

func init() {
	for name, answer := range map[string]func(*calls.Request, *calls.Answer) error{
		"barycenter":      barycenter,
		"cluster":         cluster,
		"color":           colors,
		"decode":          decoded,
		"embed":           embed,
		"encode":          encoded,
		"gap":             gapStudy,
		"generate":        generated,
		"neighbours":      neighbours,
		"normality":       normality,
		"pairwise":        pairwise,
		"picture":         picture,
		"plan":            plans,
		"register":        register,
		"two_sample_test": twoSampleTest,
	} {
		calls.Register(name, calls.Call{Answer: answer})
	}
	calls.Register("save", calls.Call{Answer: save, Volatile: true})
	calls.Register("results", calls.Call{Answer: results, Volatile: true})
	calls.Register("train", calls.Call{Answer: training, Stored: true})
	calls.Register("sweep", calls.Call{Answer: sweeping, Stored: true, File: sweptData})
	calls.Register("table", calls.Call{Answer: paperTable, Stored: true, File: func(*calls.Request) string { return data() }})
}
