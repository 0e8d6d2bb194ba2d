// Package must is for tests, in which an error of the preparation is a panic.
package must

// Get is v; it panics with the error if there is one.
func Get[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
