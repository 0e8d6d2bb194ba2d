package runs

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/sliced-wasserstein/lab/experiments/gap"
)

// Gap is one row of the amortization-gap study for one seed.
type Gap struct {
	Data   Data       `json:"data"`
	Config gap.Config `json:"config"`
}

func (Gap) Kind() string { return "gap" }

func (g Gap) Name() string { return fmt.Sprintf("%s-s%d", g.Config.ID(), g.Config.Seed) }

func (Gap) Needs() []Task { return nil }

func (g Gap) Clouds() []Data { return []Data{g.Data} }

func (g Gap) do(ctx context.Context, l *Store, _ string) (any, error) {
	set, err := l.open(g.Data)
	if err != nil {
		return nil, err
	}
	e, err := l.Engine()
	if err != nil {
		return nil, err
	}
	return gap.Study(ctx, e, set, g.Config, gap.Options{Cache: filepath.Join(l.Dir, "harmonics"), Progress: func(what string, done, total int) { l.say(g.Name()+": "+what, done, total) }})
}
