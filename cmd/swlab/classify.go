package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/latent"
)

func newClassify(c *common) *cobra.Command {
	l := &latentCall{common: c}
	config, svm := latent.DefaultClassifier(0), latent.DefaultSVM(0)
	var classifier string
	cmd := &cobra.Command{
		Use:   "classify --run DIR [--data TRAIN] [--test TEST]",
		Short: "transfer accuracy: a classifier trained on the latents of a trained run",
		Long: "Encodes the clouds of --data and --test with the autoencoder of a run, trains the paper's classifier (mlp) or linear support vector\n" +
			"machines (svm) on the codes of --data with their labels, and says which part of the codes of --test is classified rightly.\n" +
			"The seed of mlp is 123 unless --seed is given; svm draws nothing.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("seed") {
				config.Seed = c.seed
			}
			return l.classify(classifier, config, svm)
		},
	}
	l.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&classifier, "classifier", "mlp", "mlp: the paper's; svm: linear support vector machines, one class against the rest")
	f.IntVar(&config.Epochs, "epochs", config.Epochs, "mlp: epochs of the classifier")
	f.Float64Var(&svm.C, "svm-c", 0, "svm: weight of the losses against the weights' norm (default: by five-fold cross-validation, 0.1 to 100000)")
	return required(refuse(cmd, func(flag string) (string, error) {
		switch {
		case flag == "epochs" && classifier != "mlp", flag == "svm-c" && classifier != "svm":
			return "not with --classifier " + classifier, nil
		}
		return "", nil
	}), "run")
}

func (l *latentCall) classify(classifier string, config latent.ClassifierConfig, svm latent.SVMConfig) error {
	if config.Epochs < 1 {
		return usageError(fmt.Errorf("--epochs: expected at least 1, found %d", config.Epochs))
	}
	sets, err := l.open()
	if err != nil {
		return err
	}
	if config.Classes, err = classes(sets.train, sets.test); err != nil {
		return usageError(err)
	}
	svm.Classes = config.Classes
	sets.warn(l.common, l.run)
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
	if classifier == "svm" {
		return l.classifySVM(ctx, svm, train, test, sets.file, e.Name)
	}
	bar := newBar("training the classifier")
	r, err := latent.Classify(ctx, e, train, test, config, func(done, total int, loss float64) { bar(done, total, fmt.Sprintf("loss %.3f", loss)) })
	if err != nil {
		return interrupted(err)
	}
	return l.print(struct {
		latent.Classification
		Classifier string `json:"classifier"`
		Classes    int    `json:"classes"`
		Epochs     int    `json:"epochs"`
		Seed       uint64 `json:"seed"`
		State      string `json:"state"`
		Backend    string `json:"backend"`
	}{r, classifier, config.Classes, config.Epochs, config.Seed, sets.file, e.Name},
		[2]string{"accuracy", fmt.Sprintf("%.4f", r.Accuracy)},
		[2]string{"codes", fmt.Sprintf("%d learned from, %d tested, %d classes", r.NTrain, r.NTest, config.Classes)},
		[2]string{"best epoch", fmt.Sprintf("%d of %d, mean loss %.4g", r.BestEpoch, config.Epochs, r.Loss)},
		[2]string{"weights", sets.file})
}

// classifySVM is classify with support vector machines.
func (l *latentCall) classifySVM(ctx context.Context, config latent.SVMConfig, train, test latent.Codes, file, backend string) error {
	bar := newBar("training support vector machines")
	r, err := latent.ClassifySVM(ctx, train, test, config, func(done, total int) { bar(done, total, "") })
	if err != nil {
		return interrupted(err)
	}
	rows := [][2]string{
		{"accuracy", fmt.Sprintf("%.4f", r.Accuracy)},
		{"codes", fmt.Sprintf("%d learned from, %d tested, %d classes", r.NTrain, r.NTest, config.Classes)},
		{"C", fmt.Sprintf("%g", r.C)},
	}
	for _, v := range r.Validation {
		rows = append(rows, [2]string{"", fmt.Sprintf("C = %g: accuracy %.4f in the cross-validation", v.C, v.Accuracy)})
	}
	return l.print(struct {
		latent.SVMClassification
		Classifier string `json:"classifier"`
		Classes    int    `json:"classes"`
		State      string `json:"state"`
		Backend    string `json:"backend"`
	}{r, "svm", config.Classes, file, backend}, append(rows, [2]string{"weights", file})...)
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
