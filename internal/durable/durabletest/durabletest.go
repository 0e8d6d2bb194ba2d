// Package durabletest makes the file operations of package durable fail, for tests of what is left
// then.
package durabletest

import (
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/sliced-wasserstein/lab/internal/durable/internal/hook"
)

// Faults are the errors of a full disk, a quota, a disk that became read-only, and a folder that
// was removed.
var Faults = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.ENOENT}

// Fail makes the n-th file operation after it, counted from 0, and all that follow fail with err:
// a full disk stays full. The returned function ends this and returns what was attempted, in order,
// as "operation path". Tests that call it cannot be parallel.
func Fail(t testing.TB, n int, err error) (end func() (attempted []string)) {
	t.Helper()
	var attempted []string
	var mutex sync.Mutex
	hook.Before = func(operation, path string) error {
		mutex.Lock()
		defer mutex.Unlock()
		attempted = append(attempted, fmt.Sprint(operation, " ", path))
		if len(attempted) > n {
			return err
		}
		return nil
	}
	end = func() []string { hook.Before = nil; return attempted }
	t.Cleanup(func() { end() })
	return end
}

// Every calls work once for every operation of a fault-free call, with an error of Faults for
// that operation and the following ones failing; in short mode for every fifth operation. work must
// begin with a fresh state; check gets its error and judges what it has left.
func Every(t testing.TB, work func() error, check func(fault string, err error)) {
	t.Helper()
	end := Fail(t, 1<<30, nil)
	err := work()
	operations := len(end())
	if err != nil || operations == 0 {
		t.Fatalf("without a fault: %d operations, %v", operations, err)
	}
	tried := 0
	for n := range operations {
		if testing.Short() && n%5 != 0 {
			continue
		}
		fault := Faults[n%len(Faults)]
		end := Fail(t, n, fault)
		err := work()
		attempted := end()
		if len(attempted) <= n {
			continue // a download came in fewer pieces
		}
		check(fmt.Sprintf("%v at operation %d, %s", fault, n, attempted[n]), err)
		tried++
	}
	t.Logf("%d operations, %d faults tried", operations, tried)
}

// Explained reports whether an error is one line that ends with what the user can do.
func Explained(err error) bool {
	if err == nil || strings.Contains(err.Error(), "\n") {
		return false
	}
	for _, remedy := range []string{"free some", "choose a folder that you may write to", "its folder is not there"} {
		if strings.Contains(err.Error(), remedy) {
			return true
		}
	}
	return false
}
