package main

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/internal/durable"
	"github.com/sliced-wasserstein/lab/internal/memory"
	"github.com/sliced-wasserstein/lab/swlab/align"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

type barycenterCall struct {
	*common
	Set string `arg:"SET" need:"x" unit:"FILE|DIR" reads:"clouds" help:"clouds: a file, a folder, or builtin"`
	Key string `flag:"key" unit:"NAME" help:"array in a .npz or .h5 file (default data)"`
	align.BarycenterConfig
	loss.Config
	Name string `flag:"loss" unit:"NAME" group:"Loss" help:"what is minimised, a sliced loss: %s" words:"loss"`
	Out  string `flag:"out" need:"x" unit:"FILE" writes:".npy" group:"Output" help:"write the barycenter, [n,d] float64"`
}

func newBarycenter(c *common) *cobra.Command {
	cmd := c.command("barycenter SET --out FILE", "Find the cloud whose mean sliced distance to the clouds of a set is least",
		"swlab barycenter clouds.npy --out middle.npy\nswlab barycenter clouds.npy --points 256 --steps 200 --out middle.npy",
		&barycenterCall{common: c, Name: "sw", Config: align.Descent("sw")},
		unflagged{"reduce", "root", "reg", "ground", "mass", "kl", "uniform", "amortizer", "fine_tune", "ascent_sgd"})
	cmd.Long = "The points of the barycenter are free and have equal masses. Every step draws directions, and moves the points to what these ask for\n" +
		"together. The value is the mean loss to the clouds, as a mean over points, along the directions of the seed."
	return cmd
}

// settings are those of the loss.
func (b *barycenterCall) settings() loss.Config {
	c := b.Config
	if !b.given("ascent-tangent") {
		c.AscentTangent = align.Descent(b.Name).AscentTangent
	}
	return c
}

func (b *barycenterCall) unused(flag string) (string, error) {
	if what := setting(flag); what != "" {
		return unread(b.Name, b.settings(), false, what)
	}
	return "", nil
}

type barycenterAnswer struct {
	Value      number `json:"value"`
	StdErr     number `json:"stderr"`
	Loss       string `json:"loss"`
	Convention string `json:"convention"`
	Shape      []int  `json:"shape"`
	Seed       uint64 `json:"seed"`
	Out        saved  `json:"out"`
}

func (a barycenterAnswer) String() string {
	return lines(a.Out.row(fmt.Sprintf("barycenter, %v", a.Shape)), [2]string{"mean " + a.Loss, fmt.Sprintf("%.6g +- %.2g", a.Value, a.StdErr)},
		[2]string{"convention", a.Convention})
}

func (b *barycenterCall) run() error {
	set, err := b.exact(b.Set, sampling{Key: b.Key}, b.common.Seed)
	if err != nil {
		return err
	}
	c := b.BarycenterConfig
	c.Loss, c.Config, c.Seed = b.Name, b.settings(), b.common.Seed
	m, err := align.Barycenter(set, c)
	if err != nil {
		return usageError(err)
	}
	shape := []int{len(m.Points) / set.Dim, set.Dim}
	a := barycenterAnswer{number(m.Value), number(m.StdErr), b.Name, m.Convention, shape, b.common.Seed, saveFloat64("out", b.Out, m.Points, shape...)}
	return errors.Join(b.print(a), a.Out.err)
}

type colorCall struct {
	*common
	From string `arg:"FROM" need:"x" unit:"FILE" reads:"file" help:"picture whose colours change, .png"`
	To   string `arg:"TO" need:"x" unit:"FILE" reads:"file" help:"picture whose colours it gets, .png, of any size"`
	align.ColorsConfig
	Out string `flag:"out" need:"x" unit:"FILE" writes:".png" group:"Output" help:"picture to write, 8 bits a channel, .png"`
}

func newColor(c *common) *cobra.Command {
	cmd := c.command("color FROM TO --out FILE", "Give a picture the colours of another, by sliced matching", "swlab color sea.png sunset.png --out sea-at-sunset.png", &colorCall{common: c})
	cmd.Long = "Moves the colours of the pixels, red, green and blue from 0 to 1, to the distribution of the other picture's. before and after are SW2\n" +
		"to it, with the root and as a mean over pixels; after is that of the picture as written. Transparent pixels keep their colour and do not count."
	return cmd
}

type colorAnswer struct {
	Before number `json:"before"`
	After  number `json:"after"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Seed   uint64 `json:"seed"`
	Out    saved  `json:"out"`
}

func (a colorAnswer) String() string {
	return lines(a.Out.row(fmt.Sprintf("%d x %d pixels", a.Width, a.Height)),
		[2]string{"SW2 to the colours", fmt.Sprintf("%.6g before, %.6g after (%.2g %%)", a.Before, a.After, 100*a.After/a.Before)})
}

func (c *colorCall) run() error {
	picture, from, err := readPicture(c.From)
	if err != nil {
		return err
	}
	_, to, err := readPicture(c.To)
	if err != nil {
		return err
	}
	o := c.ColorsConfig
	o.Seed = c.common.Seed
	moved, before, after, err := align.Colors(from, to, o, align.Round8)
	if err != nil {
		return usageError(err)
	}
	at := 0
	for i := range len(picture.Pix) / 4 {
		if pixel := picture.Pix[4*i : 4*i+4]; pixel[3] > 0 {
			for k := range 3 {
				pixel[k] = uint8(math.Round(255 * moved[at+k]))
			}
			at += 3
		}
	}
	size := picture.Bounds()
	a := colorAnswer{number(before), number(after), size.Dx(), size.Dy(), o.Seed, save("out", c.Out, func(path string) error {
		return durable.Write(path, func(w io.Writer) error { return png.Encode(w, picture) })
	})}
	return errors.Join(c.print(a), a.Out.err)
}

// readPicture reads a PNG file, and the colours of its pixels that are not transparent, [n, 3] from 0 to 1.
func readPicture(path string) (*image.NRGBA, *datasets.Set, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, usageError(err)
	}
	defer file.Close()
	wrong := func(err error) (*image.NRGBA, *datasets.Set, error) {
		return nil, nil, usageError(fmt.Errorf("%s: expected a PNG picture: %w", path, err))
	}
	head, err := png.DecodeConfig(file)
	if err != nil {
		return wrong(err)
	}
	if err := memory.Check(fmt.Sprintf("%s: %d x %d pixels", path, head.Width, head.Height), memory.Bytes(300, head.Width, head.Height)); err != nil {
		return nil, nil, err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, nil, err
	}
	decoded, err := png.Decode(file)
	if err != nil {
		return wrong(err)
	}
	size := decoded.Bounds()
	out, colors := image.NewNRGBA(image.Rect(0, 0, size.Dx(), size.Dy())), []float64{}
	for y := range size.Dy() {
		for x := range size.Dx() {
			v := color.NRGBA64Model.Convert(decoded.At(size.Min.X+x, size.Min.Y+y)).(color.NRGBA64)
			out.Set(x, y, v)
			if out.NRGBAAt(x, y).A > 0 {
				colors = append(colors, float64(v.R)/65535, float64(v.G)/65535, float64(v.B)/65535)
			}
		}
	}
	if len(colors) == 0 {
		return nil, nil, usageError(fmt.Errorf("%s: expected pixels that are not transparent, found none", path))
	}
	set, err := datasets.New(colors, len(colors)/3, 3)
	if err == nil {
		set.Name = path
	}
	return out, set, err
}

type registerCall struct {
	*common
	A string `arg:"A" need:"x" unit:"FILE|DIR" reads:"clouds" help:"the cloud that moves"`
	B string `arg:"B" need:"x" unit:"FILE|DIR" reads:"clouds" help:"the cloud that it is moved to"`
	sampling
	align.RegisterConfig
	Out string `flag:"out" unit:"FILE" writes:".npy" group:"Output" help:"write the moved cloud, [n,d] float64"`
}

func newRegister(c *common) *cobra.Command {
	cmd := c.command("register A B", "Find the rigid motion that takes a cloud to another, with outliers and rows in any order", "swlab register a.npy b.npy --out moved.npy",
		&registerCall{common: c})
	cmd.Long = "Goes down the gradient of the sliced distance with rigid motions, and refines by iterated closest points from there and from random\n" +
		"motions, leaving out points without a partner. The motion is b = rotation a + translation."
	return cmd
}

type registerAnswer struct {
	Rotation    [][]float64 `json:"rotation"`
	Translation []float64   `json:"translation"`
	Angle       float64     `json:"angle_deg"`
	Share       float64     `json:"share"`
	Error       float64     `json:"rms"`
	Seed        uint64      `json:"seed"`
	Out         *saved      `json:"out,omitempty"`
}

func (a registerAnswer) String() string {
	rows := [][2]string{{"angle", fmt.Sprintf("%.6g degrees", a.Angle)}}
	for i, row := range a.Rotation {
		rows = append(rows, [2]string{[]string{"rotation", ""}[min(i, 1)], fmt.Sprintf("%.6f", row)})
	}
	rows = append(rows, [2]string{"translation", fmt.Sprintf("%.6g", a.Translation)},
		[2]string{"with a partner", fmt.Sprintf("%.3g %%, root mean square %.3g", 100*a.Share, a.Error)})
	if a.Out != nil {
		rows = append(rows, a.Out.row("the moved cloud"))
	}
	return lines(rows...)
}

func (r *registerCall) run() error {
	var clouds [2]*datasets.Set
	for i, path := range []string{r.A, r.B} {
		set, err := r.exact(path, r.sampling, r.common.Seed+uint64(i))
		if err != nil {
			return err
		}
		clouds[i] = set
	}
	o := r.RegisterConfig
	o.Seed = r.common.Seed
	m, err := align.Register(clouds[0], clouds[1], o)
	if err != nil {
		return usageError(err)
	}
	a := registerAnswer{slices.Collect(slices.Chunk(m.Rotation, len(m.Translation))), m.Translation, m.Degrees, m.Share, m.Error, o.Seed, nil}
	if r.Out == "" {
		return r.print(a)
	}
	moved := clouds[0].Positions(0)
	m.Apply(moved)
	s := saveFloat64("out", r.Out, moved, clouds[0].Points, clouds[0].Dim)
	a.Out = &s
	return errors.Join(r.print(a), s.err)
}
