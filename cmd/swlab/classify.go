package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/latent"
)

type classifyCall struct {
	*common
	latentFlags
	Classifier string  `flag:"classifier" unit:"NAME" words:"mlp svm" help:"mlp: the paper's; svm: linear support vector machines, one class against the rest"`
	Epochs     int     `flag:"epochs" range:"1.." help:"mlp: epochs of the classifier"`
	C          float64 `flag:"svm-c" range:">0.." help:"svm: weight of the losses against the weights' norm (default: by five-fold cross-validation, 0.1 to 100000)"`
}

func newClassify(c *common) *cobra.Command {
	cmd := c.command("classify RUN", "Measure transfer accuracy: a classifier trained on the latents of a trained run", `swlab classify runs/first
swlab classify runs/first --classifier svm`,
		&classifyCall{common: c, latentFlags: newLatentFlags(), Classifier: "mlp", Epochs: latent.DefaultClassifier(0).Epochs})
	cmd.Long = "Encodes the clouds of --data and --test with the autoencoder of a run, trains the paper's classifier (mlp) or linear support vector\n" +
		"machines (svm) on the codes of --data with their labels, and says which part of the codes of --test is classified rightly.\n" +
		"The seed of mlp is 123 unless --seed is given; svm draws nothing."
	return cmd
}

func (l *classifyCall) unused(flag string) (string, error) {
	if flag == "epochs" && l.Classifier != "mlp" || flag == "svm-c" && l.Classifier != "svm" {
		return "not with --classifier " + l.Classifier, nil
	}
	return "", nil
}

// classified is what both classifiers answer.
type classified struct {
	Classifier string `json:"classifier"`
	Classes    int    `json:"classes"`
	State      string `json:"state"`
	Backend    string `json:"backend"`
}

type mlpAnswer struct {
	latent.Classification
	classified
	Epochs int    `json:"epochs"`
	Seed   uint64 `json:"seed"`
}

func (a mlpAnswer) String() string {
	return lines([2]string{"accuracy", fmt.Sprintf("%.4f", a.Accuracy)},
		[2]string{"codes", fmt.Sprintf("%d learned from, %d tested, %d classes", a.NTrain, a.NTest, a.Classes)},
		[2]string{"best epoch", fmt.Sprintf("%d of %d, mean loss %.4g", a.BestEpoch, a.Epochs, a.Loss)},
		[2]string{"weights", a.State})
}

type svmAnswer struct {
	latent.SVMClassification
	classified
}

func (a svmAnswer) String() string {
	rows := [][2]string{
		{"accuracy", fmt.Sprintf("%.4f", a.Accuracy)},
		{"codes", fmt.Sprintf("%d learned from, %d tested, %d classes", a.NTrain, a.NTest, a.Classes)},
		{"C", fmt.Sprintf("%g", a.C)},
	}
	for _, v := range a.Validation {
		rows = append(rows, [2]string{"", fmt.Sprintf("C = %g: accuracy %.4f in the cross-validation", v.C, v.Accuracy)})
	}
	return lines(append(rows, [2]string{"weights", a.State})...)
}

func (l *classifyCall) run() error {
	sets, err := l.open(l.common)
	if err != nil {
		return err
	}
	n, err := classes(sets.train, sets.test)
	if err != nil {
		return usageError(err)
	}
	sets.warn(l.common, l.Run)
	e, err := l.engine()
	if err != nil {
		return err
	}
	train, err := sets.encode(e, sets.train)
	if err != nil {
		return err
	}
	test, err := sets.encode(e, sets.test)
	if err != nil {
		return err
	}
	ctx, stop := interruptible()
	defer stop()
	about := classified{l.Classifier, n, sets.file, e.Name}
	if l.Classifier == "svm" {
		bar, config := newBar("training support vector machines"), latent.DefaultSVM(n)
		config.C = l.C
		r, err := latent.ClassifySVM(ctx, train, test, config, func(done, total int) { bar(done, total, "") })
		if err != nil {
			return interrupted(err)
		}
		return l.print(svmAnswer{r, about})
	}
	bar, config := newBar("training the classifier"), latent.DefaultClassifier(n)
	config.Epochs = l.Epochs
	if l.given("seed") {
		config.Seed = l.Seed
	}
	r, err := latent.Classify(ctx, e, train, test, config, func(done, total int, loss float64) { bar(done, total, fmt.Sprintf("loss %.3f", loss)) })
	if err != nil {
		return interrupted(err)
	}
	return l.print(mlpAnswer{r, about, config.Epochs, config.Seed})
}

// classes returns the number of classes in the labels of train, if it can classify those of test.
func classes(train, test *datasets.Set) (int, error) {
	for _, s := range []struct {
		flag string
		h    *datasets.Set
	}{{"data", train}, {"test", test}} {
		if s.h.Labels == nil {
			return 0, fmt.Errorf("--%s: expected clouds with class labels, %s has none", s.flag, s.h.Name)
		}
	}
	if train.Classes != nil && test.Classes != nil && !slices.Equal(train.Classes, test.Classes) {
		return 0, fmt.Errorf("--test: expected the %d classes of %s, found others: the %d of %s", len(train.Classes), train.Name, len(test.Classes), test.Name)
	}
	for i, l := range test.Labels {
		if !slices.Contains(train.Labels, l) {
			name := fmt.Sprint(l)
			if int(l) < len(test.Classes) {
				name = fmt.Sprintf("%d, %s,", l, test.Classes[l])
			}
			return 0, fmt.Errorf("--test: class %s of cloud %d of %s has no cloud in %s to learn from", name, i, test.Name, train.Name)
		}
	}
	n := max(len(train.Classes), 1+int(slices.Max(train.Labels)))
	if n < 2 {
		return 0, fmt.Errorf("--data: expected two classes or more, found %d in %s", n, train.Name)
	}
	return n, nil
}
