package exercise

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

// exercises are all of them, by id.
var exercises = map[string]exercise{
	"00.1": {number(1e-3, 13.07/7),
		"Uncrossing two lines makes a plan cheaper. In which plan do as many lines cross as possible?", "The smallest goes to the largest, and so on."},
	"00.2": {function(crossedRoots), "Let one pair of the crossed plan have the distance 0: the larger x is equal to the smaller y.", "With a cost that grows slower and slower, one long distance and one of 0 cost less than two of middle length."},
	"00.3": {function(dearCoordinate), "Let the first coordinates differ by very little and the second ones by much, in the opposite order.", "The first coordinate hardly differs, so its order is an accident; the second decides."},

	"01.1": {number(0.02, 0.2977), "Print left(2, angle), too: after one step along each axis, no later step moves a point.",
		"After one step along each axis nothing moves any more: all x and all y are right, but in wrong pairs."},
	"01.2": {number(0.02, 0.0745), "Change step, run the cells below it, and read what the first cell prints for 30 directions.",
		"Worse than the 0.058 of whole steps, and so are the other runs: half of every gap is left to later directions."},
	"01.3": {function(ownAngles), "Neighbouring angles see nearly the same. Let each direction be far from those before it.",
		"Directions that are far from each other repeat less than random ones: lecture 03."},

	"02.1": {number(0.15, 9000), "The error falls like 1/√L, so three times the slices are too few. Read the number behind ±.",
		"Nine times the slices, a third of the error."},
	"02.2": {function(sliceCost), "Project both clouds, sort the projections, and take the mean of the squared differences.", "It agrees with the definition on random clouds."},
	"02.3": {function(blindDirection), "The valleys of small F are bands. Look at the map for another dark place, far from the darkest.", "Along this direction, too, a chair and a person have nearly the same shadow."},

	"03.1": {number(0.1, 47), "At 768 slices independent directions have 2.6 %. Ten thousand are 13 times as many, so the error is √13 times smaller.",
		"Fewer than fifty directions on the spiral do what ten thousand independent ones do."},
	"03.2": {function(betterFrames), "The widths should not cross: let one shape be as wide as the other, or wider, along all three axes.",
		"Here most of F is quadratic, and frames take that away."},
	"03.3": {function(worseFrames), "The widths must differ much along all three axes, and not always in the same sense. One of the two is the spectacles.",
		"Little of this F is quadratic, and degree 4 weighs 7/4 as much."},

	"04.1": {number(0.05, (3+math.Sqrt(9-4*0.2*3))/(2*0.2)), "If the leverage is too small, take a larger κ: try 10, then 20.", "About 14. For nine tenths it takes 29."},
	"04.2": {number(0.02, 2.7), "Read the line under the picture of section 2. If the best location at κ = 1 is at 1.092, it exceeds SW² by 9.2 %.",
		"The leverage predicts 17 %. The hill of this pair is narrow, so the bump keeps little of it."},
	"04.3": {function(drawsVMF), "Draw the height ω with `height`, and an angle from 0 to 2π. The third coordinate is ω. How long is the rest of a unit vector?", "A height, an angle, and √(1 − ω²) across: the end of section 1 in code."},

	"05.1": {number(0.05, 8.03), "Set kappa between 5 and 10: at 5 it is 36 %, at 10 it is 56 %.", "At κ = 8 half of the bump lies within 24° of the top, where F across the ridge has fallen to about halfway."},
	"05.2": {number(0.05, 50.2), "Set first and second to \"teapot\" and \"wheel\", and try the κ in the middle of 30 and 100. Is the angle near 90° or near 0°? Halve again.",
		"At κ = 50 half of the bump lies within 10°. There the two tops of J are equally high, and the location jumps by 89°."},
	"05.3": {function(otherHill), "In one direction the first shape must be nearly flat and the second long: wheel, monitor and table are flat in one direction each.",
		"Where a flat shape is seen from its edge the cost is large, but a small tilt loses much of it."},

	"06.1": {function(turnsBy10), "Rate 0.0001 turns by 0.38°, and a rate that is k times as large turns about k times as far: start at 10/0.38 times 0.0001.",
		"As long as slopes keep their signs, the turn grows with the rate."},
	"06.2": {number(0.1, 7000), "Fifty steps turn a start by 0.4°, and the top is about 57° away. How many times fifty steps is that?",
		"Thousands of steps: the tangent gradient arrives at this rate, too, if somebody waits."},
	"06.3": {function(lowHill), "F needs a second hill, less than half as high as the top, with a wide foot on which many starts lie. Begin with the car.",
		"From the top of the low hill every way begins downhill. Several starts tell."},

	"07.1": {number(0.02, 29.7), "Replace cloud, run its cell, then the cell of the second picture: the score stands above the sphere of L.",
		"As bad as a random direction: its weights were learned for lists in any order."},
	"07.2": {function(badAxis), "Look for two shapes that are alike along y: lab.Cloud(\"car\").Show() shows one.", "One axis for all pairs nearly misses this one."},
	"07.3": {function(ownMap), "Sums over points forget the order. The clouds are centred: add up squares, not the points. What of two sums stays when they change places?", "It sees two sets, and which two."},

	"08.1": {function(chamferTwins), "Points may coincide. Nearest neighbours do not count how many points stand where.",
		"Each point has a neighbour at distance 0, but different numbers of points stand there."},
	"08.2": {number(0.02, 0.514), "Set size to 0.5, run the first cell, and read the row of CD: the last number.",
		"It begins at 0.365. SW arrives since along every direction the order is right already; the nearest neighbours are wrong."},
	"08.3": {number(0.05, 1.03), "Along its own direction a slice pulls with the strength 1, and c is ½: which share of a distance does a step leave there?",
		"Along its own direction one slice pulls with the strength 1, twice the mean: a step s leaves the share |1 − 2s| of a distance there, which is 1 at s = 1."},

	"09.1": {number(0.05, 70), "The factor grows from step to step. Try 60 and 80, and go on between them.",
		"At 70 it is 1.9, at 75 it is 2.5. Only 50 steps earlier there was no difference at all."},
	"09.2": {number(0.03, 1.11), "Put lab.Chamfer for lab.SW, and run the cell.",
		"Another input costs hardly more than the own one. Look at the outputs: they are heaps of nearly one size, all larger than their inputs."},
	"09.3": {number(0.015, 0.86), "Divide the EMD of after(100).Reconstruct(mug) and after(100).Reconstruct(table) by that of mug and table.",
		"The outputs differ nearly as much as the inputs do. This test does not see whether each is like its own input: with Chamfer it is 0.78, for heaps."},

	"10.1": {number(0.26, 4), "Count the pale bars that are blue or orange. Then see which of their thin lines cross the line at 0.",
		"In our run four intervals over clouds exclude 0, and no interval over seeds does."},
	"10.2": {number(0.03, 0.28), "Four times 128 clouds.",
		"Half as far, as √4 = 2. The interval over seeds hardly changes: more clouds do not make trainings alike."},
	"10.3": {number(0.01, 31), "Raise n until the number that is printed is smaller than the mean, 0.69.",
		"31, where three were trained. Nearly as many test clouds, 30, would do over clouds: there were 128 of them."},

	"11.1": {number(1e-6, 30), "Set turn to 45, then to 30, and compare the largest number with 0.1.", "Three steps over known rockets stay near rockets, where one step makes a heap."},
	"11.2": {number(1e-6, 20), "At 40 the first number is above 0.1. The largest angle below it is smaller.", "At 40 both numbers are above 0.1. The decoder was trained on codes of norm 1 only, and a smaller norm costs a little."},
	"11.3": {number(0.1, 0.122), "For every i add row i of y to that of x, and halve the sum.", "It is a rocket at 45 degrees, 71 % as large: the straight ways make it smaller. The cheapest pairing, at 0.21, tears it apart as well."},

	"12.1": {number(0.2, 55.9), "Put 1 in place of 100, and run the cell.",
		"Twelve times as large. In 256 dimensions one direction a step says little; in the plane of lecture 08 it was enough."},
	"12.2": {number(0.1, 17), "Let the angles end at 350, then at 340, and go on between them.",
		"A twentieth of the angles is missing, and every code is on the curve. The loss alone cannot say which of the two it is."},
	"12.3": {number(0.12, 2.3), "Begin each code with m. For every real code, floats.AddScaled(code, g/19, floats.SubTo(v, z, m)) adds its part.",
		"Half the loss of the trained heaps, and heaps again: mean and covariance are most of what lines see of these codes."},

	"13.1": {number(0.011, 94.2), "θ·v has opposite signs at 0° and 135°. Try the angle halfway, keep the half with the change of sign, and repeat.",
		"v and −v give the same pair, so θ·v at 180° is minus its value at 0°. Every continuous map has such an angle."},
	"13.2": {number(0.05, 175.5), "The curve is at 0.01 for κ = 100, and below 0.003 for κ = 300. Try a κ between them.",
		"Different clouds never cost 0, but around a blind direction they can cost little."},
	"13.3": {function(hidden), "Three points are enough: cut two opposite corners off a square, through the middles of its sides, so that the sides and the long diagonals of the hexagon are orthogonal to the three directions. Give its corners to X and Y in turn. Or build four points by the steps of section 4.",
		"These three directions do not tell them apart, but a fourth does."},

	"14.1": {number(0.05, 570), "The means alone would have 0.5 at 2·128/n = 0.5. The dots of the picture lie a little above that line: try some more points.",
		"The means alone ask for 512 points. The rest of the noise asks for some 60 more."},
	"14.2": {number(0.01, 1600), "Put 400, 800, ... in place of 200, and run the cell again until the last number is above 4.",
		"The floor and its spread fall like 1/n. What the halves add does not fall."},
	"14.3": {function(disagree), "In the plane the corners of a square hide from both axes: even ones against odd ones.", "Near for one distance, far for the other."},

	"15.1": {number(0.072, 180/math.Pi*math.Atan2(1, 4)), "The plan changes where two points of one cloud change places along the direction. Try 20, then 10.",
		"Along (4, 1) the points of one cloud fall on each other; from there on the order is that of the heights."},
	"15.2": {function(oneCentre),
		"High is W₂ if some direction matches as the optimal plan does. Low is W₂ if every direction matches so. What can you do to a square that keeps the order of its points along every line?", "Make a cloud larger or smaller, and its points keep their order along every line. Then both ends meet at W₂, but for the few per cent that drawn directions cost. Points on one line do it, too."},
	"15.3": {function(func(xy [][][]float64) (string, error) { return bracketed(xy, 1.4, math.Inf(1)) }),
		"Low is what lines see. Let the clouds look alike along every line, and lie crosswise.", "Slices prove little about clouds that look alike from all sides."},

	"16.1": {word("blue"), "Write pixel{0.3, 0.1}, then pixel{0.1, 0.6} into the first line. Compare the edges of the two hills.",
		"Now the hill is the cool side of noon, as it is of dusk. Its colours have the ranks of dusk's hill, and the sky stays sky up to the top."},
	"16.2": {number(0.01, 3), "Set short to 2, then to 4. Where does the difference pass 2?",
		"For reaches a and b, the sums are (a+b)²/2 and a²+b². They differ by (a-b)²/2: the rounder the ellipses, the less averaging loses."},
	"16.3": {function(between), "Let the points of both clouds be in the same order along every direction. Which changes of a cloud keep the order of its points?",
		"Sizes 1 and 3 have their mean in size 2: larger or smaller, the points keep their order along every direction."},

	"17.1": {number(1e-6, 8), "Paint levels(ones[:4], ones[:6]), and count the parts of the upper row: a new one begins at a white gap or a new colour.",
		"Each box of either row ends one part. Quarters and sixths both end at 1/2 and at 1, so two of the ten ends coincide."},
	"17.2": {number(0.02, 5.3), "With the weight 3, the east has 240 of 560. With which weight does the west have this share?",
		"The shares matter. With 3 the share of the east is 0.07 below a half, with 5 only 0.06 above it, and with 5.3 again 0.07."},
	"17.3": {function(unequal), "Sort both lists. Each side has n·m grains. In x every point holds m of them, so grain i lies in x[i/m]. And in y?", "Equal grains make the sizes equal."},

	"18.1": {number(0.05, 0.12), "In the cell, power(12, by(0.5)). The answer is the first of the two numbers, without its error.", "With twelve points the test misses this shift in seven of eight pairs. So if it sees nothing, that says nearly nothing."},
	"18.2": {function(missedHalf), "Section 3 has the shift for 50 points. The error of a mean of n points is proportional to 1/√n: how much larger is it for 12?", "It is about twice the shift that 50 points need, as √(50/12) is 2.04."},
	"18.3": {function(seenChange), "The mean and the variance of each coordinate say nothing about how two coordinates depend on each other.", "The means agree, and so do the variances along the axes. Along other directions the variances differ, and slices see this."},

	"19.1": {number(0.05, 3.76), "Try 2 and 5, and go on between them.", "Wide groups overlap: on a circle most people then find a place near by."},
	"19.2": {function(threeTimes), "Spread out, four hours are the most. What if all go to bed at one time?",
		"All at 4 o'clock: 4, 4 and 12 hours, a mean of 6.67."},
	"19.3": {function(onCircle), "p·u and p·v are the coordinates in the plane of the circle; math.Atan2 has their angle.", "The nearest point of the circle has the angle of the projection."},

	"20.1": {number(0.012, 0.053), "Write lab.Slicing(\"qmc\"), lab.Set(\"replicates\", 1) between the braces of yours.",
		"It is far below the 0.40 of the six axes: what is there is better, for this pair with 48 slices."},
	"20.2": {function(fromBall), "2*uniform() - 1 lies between −1 and 1. Repeat with three new numbers while the length of the point is above 1.", "A ball reaches equally far in every direction."},
	"20.3": {function(fourAxes), "ρ = −1/3 and c = ±1/3. Take the lines from the middle of a cube to its corners.",
		"The diagonals of a cube: any two have the cosine ±1/3, so ρ = −1/3, and degree 2 adds no error."},

	"31.1": {number(0.6, 153), "The number at the right of its row, by the score EMD against SW.", "As with EMD and CD: a mean in place of a sum, and the same learning rate. That is all that changed."},
	"31.2": {number(1e-6, 3), "Two values give a very long bar. It is no longer grey once all of it lies on one side of 0.",
		"With three he reports that LA v-DSW is worse. By the score of the best epoch no number of these seeds says so: choose epoch and number before you look."},
	"31.3": {function(anyWinner), "By which score was SW better than EMD? LA v-DSW is close to SW. For a tie, try the score that is no distance.", "Three scores, three verdicts. A ranking without the name of its score says nothing."},

	"33.1": {number(1e-6, 4), "Look for rows in which all five dots lie right of 0.", "PC2, PC4, PC5 and PC6. On PC1 and PC3 it is not resolved. So the 22 % in the mean come from some shapes more than from others."},
	"33.2": {number(1e-6, 2), "A blue bar lies left of 0 and does not reach it.", "ASW on PC5 and N v-DSW on PC2: enough for two headlines, among 24 bars of which chance alone would make 0.6 blue."},
	"33.3": {number(1, 71), "The bar must reach less than 2.05 % to each side: solve 1.96 · 8.8 / √n = 2.05 for n.",
		"71 shapes, and with more it only gets clearer. So no number of shapes replaces a second training."},

	"34.1": {number(1e-6, 50), "The smallest T whose line lies right of 0.", "For each pair, fifty gradients; L₁₀ took none. The steps are small: with larger ones fewer may do."},
	"34.2": {number(0.06, 17.6), "Run the cell, and read the means of L's two columns.",
		"Its own 14 %, another pair's −4 %: L₀ looks, before any training. Of the seeds 1 to 12 all but one have such a drop."},
	"34.3": {function(aboveNetworks), "Where do the two clouds differ most? Compare the costs of a few directions, such as the three axes.",
		"A few costs go farther than every network of the table: they look at this pair. The networks look at none of its costs."},

	"35.1": {number(0.011, 5.48), "Put lab.Against(\"sw-L1\") into the first line and run the cell. The number stands at the right of the picture.", "The interval, 1 to 10 %, does not contain 0. So the pairs of a step average errors out, too, as far as three seeds can say."},
	"35.2": {number(0.011, 0.0863), "10 directions in each step make 960 sorts in 96 steps. Read the line \"new in every step\" of the printed table.", "0.086 against 0.022: for the same sorts many noisy steps come nearer than few accurate ones of the same size."},
	"35.3": {number(1e-6, 800), "Run lab.Slices(1, 200), then 400 and so on. Subtract \"new in every step, 1 slice\" from the fixed directions' last number.",
		"Even 800 fixed directions end a little behind one that is new in every step, and need 800 times the sorting."},

	"36.1": {number(0, 2), "Run both cells, and read the two ends of each line at the right: both must be negative.", "One slice and κ = 10. A result holds for the score by which it was found."},
	"36.2": {number(0.02, 3.77), "Set 1000 and run. Then set 100 again, put lab.AscentSteps(50) behind it, and run. Write the larger number.", "Fifty steps with 100 slices: each step follows noise, but the noise of many steps averages out."},
	"36.3": {number(0.14, 4.6), "The steps are too short, and the slices too few. Change both.", "The top is at 5.2 %. What such a search would bring to a training, no row of the table says."},

	"37.1": {number(1e-6, 4), "Count the coloured lines, from two seeds to ten.", "With three to six seeds. Who chooses when to stop chooses whether there is a difference."},
	"37.2": {number(1e-6, 8), "Draw all groups, from two seeds to ten.", "With eight, nine and ten: where the difference to κ = 0.1 is no longer resolved, SW is ahead. The reference decides, too."},
	"37.3": {number(0.1, 20), "Count the games in which the mean of d[:n] is farther from 0 than half(d[:n]), for any n from 2 to 10.", "In one game of five, where a single look would find it in one of twenty."},

	"38.1": {number(0.02, 26.25), "Put the set in place of A(40) in the first line.", "Below 50 %: chairs have their copies beside them. 1-NNA sees what was learnt by heart; MMD only gets better by it."},
	"38.2": {number(0.02, 90), "The first line takes even(40) for the set, and NNAGenerated for NNA.",
		"Of the real chairs only 17.5 % have a real neighbour: theirs is in A′, too. A mean of about 50 % can hide two sets that differ."},
	"38.3": {function(coverage), "In each row find the column of the least entry. How many different columns are there?",
		"Coverage is 1/40 for C: its chairs all have the same nearest real one. That is what MMD does not ask."},
}

// chamferTwins are two clouds on a line whose nearest neighbours are all at distance 0.
func chamferTwins(clouds [][]float64) (string, error) {
	if len(clouds) != 2 || len(clouds[0]) != 3 || len(clouds[1]) != 3 {
		return "Expected two clouds of three numbers each.", nil
	}
	x, y := slices.Sorted(slices.Values(clouds[0])), slices.Sorted(slices.Values(clouds[1]))
	if slices.Equal(x, y) {
		return "These are equal.", nil
	}
	if !slices.Equal(slices.Compact(x), slices.Compact(y)) {
		return "Some point has no neighbour at distance 0.", nil
	}
	return "", nil
}

func fourAxes(axes [][]float64) (string, error) {
	if len(axes) != 4 {
		return fmt.Sprintf("%d axes: expected 4.", len(axes)), nil
	}
	var mean [3][3]float64
	for _, v := range axes {
		if len(v) != 3 || !(floats.Dot(v, v) > 0) {
			return fmt.Sprintf("%v is no axis of space.", v), nil
		}
		for i := range 3 {
			for j := range 3 {
				mean[i][j] += v[i] * v[j] / floats.Dot(v, v) / 4
			}
		}
	}
	for i := range 3 {
		for j := range 3 {
			want := 0.0
			if i == j {
				want = 1.0 / 3
			}
			if !(math.Abs(mean[i][j]-want) < 1e-3) {
				return fmt.Sprintf("Coordinate %d times coordinate %d is %.3f in the mean, expected %.3f.", i, j, mean[i][j], want), nil
			}
		}
	}
	return "", nil
}

func fromBall(f func(uniform func() float64) []float64) (string, error) {
	numbers := []float64{0.9, 0.95, 0.9, 0.5, 0.75, 0.5, 0.1, 0.2, 0.3} // the first three lie outside
	i := -1
	got := f(func() float64 {
		i = (i + 1) % len(numbers)
		return numbers[i]
	})
	return compare(got, []float64{0, 1, 0}), nil
}

// crossedRoots are two numbers x and two y, in increasing order, whose crossed pairing is cheap by the root of the way.
func crossedRoots(xy [2][]float64) (string, error) {
	x, y := xy[0], xy[1]
	if len(x) != 2 || len(y) != 2 || !(x[0] < x[1] && y[0] < y[1]) {
		return "Expected two numbers x and two numbers y, in increasing order.", nil
	}
	root := func(a, b float64) float64 { return math.Sqrt(math.Abs(a - b)) }
	share := (root(x[0], y[1]) + root(x[1], y[0])) / (root(x[0], y[0]) + root(x[1], y[1]))
	if share < 0.75 {
		return "", nil
	}
	return fmt.Sprintf("Crossed costs %.3f of in order.", share), nil
}

func sliceCost(f func(x, y [][]float64, theta []float64) float64) (string, error) {
	for seed := range uint64(3) {
		theta, x, y := []float64{0.6, 0, 0.8}, [][]float64{}, [][]float64{}
		var a, b []float64
		for i := range uint64(5) {
			x, y = append(x, random(seed+i, 3)), append(y, random(seed+i+50, 3))
			a, b = append(a, floats.Dot(x[i], theta)), append(b, floats.Dot(y[i], theta))
		}
		slices.Sort(a)
		slices.Sort(b)
		d := floats.Distance(a, b, 2)
		if p := differs("F of random clouds", f(x, y, theta), d*d/5); p != "" {
			return p, nil
		}
	}
	return "", nil
}

// compare says in which coordinate a vector differs from the expected one.
func compare(got, want []float64) string {
	if len(got) != len(want) {
		return fmt.Sprintf("The result has %d coordinates, expected %d.", len(got), len(want))
	}
	for i := range want {
		if p := differs(fmt.Sprintf("Coordinate %d", i), got[i], want[i]); p != "" {
			return p
		}
	}
	return ""
}

// oneCentre are two clouds around one centre whose bracket is tight.
func oneCentre(xy [][][]float64) (string, error) {
	if p, err := bracketed(xy, 0, 1.05); p != "" || err != nil {
		return p, err
	}
	for k := range 2 {
		apart := 0.0
		for i := range xy[0] {
			apart += xy[1][i][k] - xy[0][i][k]
		}
		if math.Abs(apart) > 1e-6*float64(len(xy[0])) {
			return fmt.Sprintf("Their centres are %.3g apart along axis %d.", apart/float64(len(xy[0])), k+1), nil
		}
	}
	return "", nil
}

// bracketed says whether high/low of two clouds along 100 directions is between least and most.
func bracketed(xy [][][]float64, least, most float64) (string, error) {
	if len(xy) != 2 || len(xy[0]) < 3 || len(xy[0]) != len(xy[1]) {
		return "Expected two clouds of as many points, at least three.", nil
	}
	x, y, err := twoFew(xy)
	if err != nil {
		return err.Error(), nil
	}
	o := swlab.DistanceConfig{Config: loss.Defaults(), Seed: 1, Bracket: true}
	o.Reduce = loss.Mean
	d, err := swlab.Distance("sw", x, y, o)
	if err != nil {
		return "", err
	}
	b := d.Bracket
	if !(b.Low > 1e-6) {
		return "These two are equal, or nearly.", nil
	}
	if ratio := b.High / b.Low; ratio < least || ratio > most {
		return fmt.Sprintf("Between %.4g and %.4g: a factor of %.4g.", b.Low, b.High, ratio), nil
	}
	return "", nil
}

// unequal tries W1 of lists of different lengths.
func unequal(f func(x, y []float64) float64) (string, error) {
	for _, c := range []struct {
		x, y []float64
		want float64
	}{{[]float64{2, 0, 1}, []float64{2, 0}, 1.0 / 3}, {[]float64{4}, []float64{0, 1, 5}, 8.0 / 3}, {[]float64{1, 0}, []float64{0, 1}, 0}} {
		if p := differs(fmt.Sprintf("W₁ of %v and %v", c.x, c.y), f(slices.Clone(c.x), slices.Clone(c.y)), c.want); p != "" {
			return p, nil
		}
	}
	return "", nil
}

// coverage tests the share of the columns that hold the least entry of some row.
func coverage(f func(d [][]float64) float64) (string, error) {
	for _, c := range []struct {
		d    [][]float64
		want float64
	}{{[][]float64{{1, 4, 9, 7}, {2, 3, 5, 8}, {6, 4, 9, 3}}, 0.5}, {[][]float64{{0, 2}, {0, 6}, {3, 4}}, 0.5}, {[][]float64{{5, 1, 2}, {1, 5, 2}}, 2. / 3}} {
		if p := differs(fmt.Sprintf("The share for the distances %v", c.d), f(c.d), c.want); p != "" {
			return p, nil
		}
	}
	return "", nil
}

// missedHalf tests 200 pairs of 12 points in space, one of them moved by the answer.
func missedHalf(shift float64) (string, error) {
	found := 0
	const pairs = 200
	for k := range uint64(pairs) {
		x, y := random(2*k, 36), random(2*k+1, 36)
		for i := 0; i < len(y); i += 3 {
			y[i] += shift
		}
		t, err := swlab.TwoSampleTest(x, y, 3, swlab.TwoSampleConfig{Slices: 50, Permutations: 199, Seed: k})
		if err != nil {
			return "", err
		}
		if t.PValue <= 0.05 {
			found++
		}
	}
	if share := 100 * float64(found) / pairs; share < 40 || share > 60 {
		return fmt.Sprintf("%.0f %% of 200 tests see a shift of %g.", share, shift), nil
	}
	return "", nil
}

// seenChange tests 100 pairs of 50 points in space. Every point of the second sample is changed, which keeps the mean and
// the variance of every coordinate.
func seenChange(change func(p []float64) []float64) (string, error) {
	changed := func(seed uint64, n int) (flat []float64) {
		for p := range slices.Chunk(random(seed, 3*n), 3) {
			flat = append(flat, change(slices.Clone(p))...)
		}
		return flat
	}
	const many, n, pairs = 20_000, 50, 100
	all := changed(1, many)
	if len(all) != 3*many {
		return "Expected three coordinates of every point.", nil
	}
	for k := range 3 {
		var c []float64
		for i := k; i < len(all); i += 3 {
			c = append(c, all[i])
		}
		if mean, variance := stat.MeanVariance(c, nil); !(math.Abs(mean) < 0.05 && math.Abs(variance-1) < 0.1) {
			return fmt.Sprintf("Coordinate %d has the mean %.2f and the variance %.2f.", k+1, mean, variance), nil
		}
	}
	found := 0
	for k := range uint64(pairs) {
		t, err := swlab.TwoSampleTest(random(2*k, 3*n), changed(2*k+1, n), 3, swlab.TwoSampleConfig{Slices: 50, Permutations: 199, Seed: k})
		if err != nil {
			return "", err
		}
		if t.PValue <= 0.05 {
			found++
		}
	}
	if found < 90 {
		return fmt.Sprintf("%d of %d tests see it.", found, pairs), nil
	}
	return "", nil
}

// onCircle tries the place of the nearest point of the great circle through u and v, as a share of a turn from u.
func onCircle(f func(p, u, v []float64) float64) (string, error) {
	u, v := []float64{0, 1, 0}, []float64{0.6, 0, 0.8}
	for _, c := range []struct {
		p    []float64
		want float64
	}{{u, 0}, {v, 0.25}, {[]float64{0, -1, 0}, 0.5}, {[]float64{-0.6, 0, -0.8}, 0.75},
		{[]float64{0, 0.6, 0.8}, math.Atan2(0.64, 0.6) / 2 / math.Pi},
		{[]float64{0.8, -0.6, 0}, math.Atan2(0.48, -0.6) / 2 / math.Pi}} {
		if p := differs(fmt.Sprintf("The place of %v on the circle through %v and %v", c.p, u, v), f(c.p, u, v), c.want); p != "" {
			return p, nil
		}
	}
	return "", nil
}

// threeTimes are times of day farther than 6 hours from 0, 8 and 16 o'clock.
func threeTimes(hours []float64) (string, error) {
	if len(hours) != 3 {
		return "Expected three times of day.", nil
	}
	least := math.Inf(1)
	for _, p := range [][3]float64{{0, 8, 16}, {0, 16, 8}, {8, 0, 16}, {8, 16, 0}, {16, 0, 8}, {16, 8, 0}} {
		mean := 0.0
		for i, at := range p {
			if !(hours[i] >= 0 && hours[i] <= 24) {
				return "Times of day are between 0 and 24.", nil
			}
			d := math.Abs(hours[i] - at)
			mean += min(d, 24-d) / 3
		}
		least = min(least, mean)
	}
	if least > 6 {
		return "", nil
	}
	return fmt.Sprintf("W₁ is %.3g hours.", least), nil
}
