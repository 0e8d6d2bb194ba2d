package sets

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sliced-wasserstein/lab/internal/memory"
	"github.com/sliced-wasserstein/lab/internal/settings"
	"github.com/sliced-wasserstein/lab/swlab/internal/parallel"
)

// ClusterConfig configures Cluster.
type ClusterConfig struct {
	K int `json:"k" help:"number of clusters" range:"1.."`
	// Starts are independent runs, of which the one with the smallest Inertia counts.
	Starts int    `json:"starts" help:"independent starts of k-means, of which the best counts (default 10)" range:"1.." unset:"0"`
	Seed   uint64 `json:"-"`
}

// Clusters are the result of Cluster.
type Clusters struct {
	Labels  []int32   // [Clouds] cluster of each cloud; clusters are numbered by their first cloud
	Centres []float64 // [K, Size] mean vectors
	Sizes   []int     // [K] clouds in each cluster; 0 where fewer than K clouds differ
	Inertia float64   // sum of the squared distances of the clouds to their centres
}

// Cluster divides the clouds into K clusters by k-means on their vectors: k-means of clouds in SW_2 along
// the directions, since a mean of vectors is the barycenter of the projections along each. It starts as
// k-means++ does (Arthur and Vassilvitskii 2007) and repeats Lloyd's two steps until no cloud moves. Equal
// seeds give equal clusters.
func (e *Embedding) Cluster(o ClusterConfig) (*Clusters, error) {
	if err := settings.Of(&o).Check(); err != nil {
		return nil, err
	}
	if o.K > e.Clouds {
		return nil, fmt.Errorf("k: expected 1 to %d, as many as there are clouds, found %d", e.Clouds, o.K)
	}
	if err := memory.Check(fmt.Sprintf("k: %d centres", o.K), memory.Bytes(16, o.K, e.Size)); err != nil {
		return nil, err
	}
	if o.Starts == 0 {
		o.Starts = 10
	}
	var best *Clusters
	for start := range o.Starts {
		c := &Clusters{Labels: make([]int32, e.Clouds), Centres: make([]float64, o.K*e.Size), Sizes: make([]int, o.K)}
		c.lloyd(e, rand.New(rand.NewPCG(o.Seed, uint64(start))))
		if best == nil || c.Inertia < best.Inertia {
			best = c
		}
	}
	best.number(e)
	return best, nil
}

// most bounds Lloyd's steps, whose number is small in practice.
const most = 1000

// lloyd runs k-means from a start of k-means++.
func (c *Clusters) lloyd(e *Embedding, random *rand.Rand) {
	far := make([]float64, e.Clouds) // squared distances to the nearest centre
	next := random.IntN(e.Clouds)
	for k := range c.Sizes {
		centre := c.centre(k, e)
		copy(centre, e.Vector(next))
		total := 0.0
		for i := range far {
			if d := square(e.Vector(i), centre); k == 0 || d < far[i] {
				far[i] = d
			}
			total += far[i]
		}
		at := random.Float64() * total
		for next = 0; next < e.Clouds-1 && at >= far[next]; next++ {
			at -= far[next]
		}
	}
	for step := 0; c.assign(e, far) || step == 0; step++ {
		c.means(e, far)
		if step == most {
			break
		}
	}
	c.Inertia = 0
	for _, d := range far {
		c.Inertia += d
	}
}

func (c *Clusters) centre(k int, e *Embedding) []float64 { return c.Centres[k*e.Size : (k+1)*e.Size] }

// assign gives every cloud to its nearest centre and reports whether one moved.
func (c *Clusters) assign(e *Embedding, far []float64) bool {
	changed := make([]bool, e.Clouds)
	parallel.Each(e.Clouds, parallel.Alone(func(i int) {
		nearest, least := int32(0), math.Inf(1)
		for k := range c.Sizes {
			if d := within(e.Vector(i), c.centre(k, e), least); d < least {
				nearest, least = int32(k), d
			}
		}
		changed[i] = c.Labels[i] != nearest
		c.Labels[i], far[i] = nearest, least
	}))
	return slices.Contains(changed, true)
}

// means moves the centres to the means of their clouds. A centre without clouds goes to the cloud that
// is farthest from its own.
func (c *Clusters) means(e *Embedding, far []float64) {
	clear(c.Centres)
	clear(c.Sizes)
	for _, k := range c.Labels {
		c.Sizes[k]++
	}
	for i, k := range c.Labels {
		centre := c.centre(int(k), e)
		for j, v := range e.Vector(i) {
			centre[j] += v / float64(c.Sizes[k])
		}
	}
	for k, size := range c.Sizes {
		if size > 0 {
			continue
		}
		farthest := 0
		for i, d := range far {
			if d > far[farthest] {
				farthest = i
			}
		}
		copy(c.centre(k, e), e.Vector(farthest))
		far[farthest] = 0
	}
}

// number numbers the clusters by their first clouds.
func (c *Clusters) number(e *Embedding) {
	place := make([]int32, len(c.Sizes))
	for k := range place {
		place[k] = -1
	}
	next := int32(0)
	visit := func(k int32) {
		if place[k] < 0 {
			place[k] = next
			next++
		}
	}
	for _, k := range c.Labels {
		visit(k)
	}
	centres := make([]float64, len(c.Centres))
	for k := range c.Sizes {
		visit(int32(k))
		copy(centres[int(place[k])*e.Size:], c.centre(k, e))
	}
	clear(c.Sizes)
	for i, k := range c.Labels {
		c.Labels[i] = place[k]
		c.Sizes[place[k]]++
	}
	c.Centres = centres
}
