package main

import (
	"context"
	"os"
	"os/signal"
	"slices"
)

// interruptible returns a context that ends when the process is asked to stop: by Ctrl-C, SIGTERM,
// or SIGHUP, which a dropped connection or a closed terminal sends. A second Ctrl-C or SIGTERM ends
// the process at once. A second SIGHUP does not, since a closing terminal often sends two. Under
// nohup SIGHUP stays ignored. Until stop is called, a closed pipe for the progress does not end the
// process either.
func interruptible() (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	asked, hung, unread := make(chan os.Signal, 1), make(chan os.Signal, 1), make(chan os.Signal, 1)
	notify(asked, stopSignals)
	notify(hung, slices.DeleteFunc(slices.Clone(hangUp), signal.Ignored))
	notify(unread, brokenPipe)
	go func() {
		select {
		case <-asked:
		case <-hung:
		case <-ctx.Done():
		}
		signal.Stop(asked) // from now on they end the process
		cancel()
	}()
	return ctx, func() {
		cancel()
		signal.Stop(asked)
		signal.Stop(hung)
		signal.Stop(unread)
	}
}

// notify is [signal.Notify], which takes no signals for all signals.
func notify(c chan<- os.Signal, signals []os.Signal) {
	if len(signals) > 0 {
		signal.Notify(c, signals...)
	}
}
