package main

import "fmt"

// width is that of the trained amortizers' queries and keys, and the number of LA's projected keys.
const width = 16

// weightsFile is the path of the trained weights of an amortizer, beside this package and, under
// the same name, inside the page.
func weightsFile(name string, dim int) string {
	return fmt.Sprintf("weights/%s-%dd.safetensors", name, dim)
}
