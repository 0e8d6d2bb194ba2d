package runs

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/sliced-wasserstein/lab/experiments/gap"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
)

// Gap is one row of the amortization-gap study for one seed.
type Gap struct {
	Data   Data       `json:"data"`
	Config gap.Config `json:"config"`
}

func (Gap) Kind() string { return "gap" }

func (g Gap) Name() string { return fmt.Sprintf("%s-s%d", g.Config.ID(), g.Config.Seed) }

// source identifies the code of an amortizer that is not this module's; else it is "".
func (g Gap) source() string {
	text, _ := amortizer.SourceOf(g.Config.Method)
	return text
}

func (Gap) Needs() []Task { return nil }

func (g Gap) Clouds() []Data { return []Data{g.Data} }

func (g Gap) do(ctx context.Context, l *Store, _ string) (any, error) {
	if _, err := amortizer.SourceOf(g.Config.Method); err != nil {
		l.say(fmt.Sprintf("%s cannot be found later: %v", g.Name(), err), 0, 0)
	}
	set, err := l.Clouds(g.Data)
	if err != nil {
		return nil, err
	}
	e, err := l.Engine()
	if err != nil {
		return nil, err
	}
	return gap.Study(ctx, e, set, g.Config, gap.Options{Cache: filepath.Join(l.Dir, "harmonics"), Progress: func(what string, done, total int) { l.say(g.Name()+": "+what, done, total) }})
}
