//go:build !js

package main

import (
	"errors"
	"fmt"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "playground:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 2 && args[0] == "build":
		return build(args[1])
	case len(args) == 2 && args[0] == "train":
		return train(args[1])
	}
	return errors.New("expected build PAGE.html or train FOLDER")
}
