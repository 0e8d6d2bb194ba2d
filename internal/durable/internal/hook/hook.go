// Package hook lets tests make file operations fail. Only durabletest sets it.
package hook

// Before, if not nil, is called before every operation of package durable that changes files. The
// operation does not take place if it returns an error; half of a write does.
var Before func(operation, path string) error

// Check calls Before.
func Check(operation, path string) error {
	if Before == nil {
		return nil
	}
	return Before(operation, path)
}
