package train

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sliced-wasserstein/lab/internal/suggest"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

// Ways in which a step is faster than its formulas read. All are on unless Config.Plain names them; the result is the same up to rounding
// (Sort: up to the matching of projections closer than a key's step). Where a backend does not gain they are off by themselves.
const (
	// FastSort sorts projections by a network on 32-bit keys in place of XLA's sort (ot1d.Network).
	FastSort = "sort"
	// FastAscent finds the costs of a location's ascent by plain Go between two graphs (loss.Sliced.Climber).
	FastAscent = "ascent"
	// FastEncoder evaluates the encoder's last layer where the maximum over the points is reached only (pointnet.Autoencoder.Plain).
	FastEncoder = "encoder"
	// FastAttention never stores the scores of the amortizers A, EA and LA (amortizer.Config.Plain).
	FastAttention = "attention"
	// FastTables builds the tables between the points of Chamfer and EMD block by block (loss.Call.Stored).
	FastTables = "tables"
)

// FastPaths lists the names that Config.Plain may hold.
func FastPaths() []string {
	return []string{FastAscent, FastAttention, FastEncoder, FastSort, FastTables}
}

// plain says whether the fast path of that name is switched off.
func (c Config) plain(name string) bool { return slices.Contains(strings.Split(c.Plain, ","), name) }

// checkPlain returns an error for names that are none.
func (c Config) checkPlain() error {
	if c.Plain == "" {
		return nil
	}
	for _, name := range strings.Split(c.Plain, ",") {
		if !slices.Contains(FastPaths(), name) {
			return fmt.Errorf("plain: expected some of %s, separated by commas, found %q%s", strings.Join(FastPaths(), ", "), name, suggest.Hint(name, FastPaths()))
		}
	}
	return nil
}

// HasFastPath says whether a step of the configuration takes the fast path of that name, which Plain could switch off.
func (c Config) HasFastPath(name string) bool {
	m, err := c.Model()
	if err != nil {
		return false
	}
	sliced, isSliced := m.Loss.(loss.Sliced)
	switch name {
	case FastAscent:
		return isSliced && sliced.Rule.Ascent != nil
	case FastAttention: // the maps with queries
		queries, err := loss.Reads(c.Loss, c.LossSettings(), false, "dk")
		return err == nil && queries
	case FastSort:
		return isSliced
	case FastTables:
		return !isSliced
	}
	return name == FastEncoder
}
