package memory

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// statusEx is MEMORYSTATUSEX.
type statusEx struct {
	length, load                         uint32
	total, available                     uint64
	totalPageFile, availablePageFile     uint64
	totalVirtual, availableVirtual, more uint64
}

// system returns what can still be committed: memory and page file.
func system() []bound {
	s := statusEx{length: uint32(unsafe.Sizeof(statusEx{}))}
	ok, _, _ := windows.NewLazySystemDLL("kernel32.dll").NewProc("GlobalMemoryStatusEx").Call(uintptr(unsafe.Pointer(&s)))
	if ok == 0 {
		return nil
	}
	return []bound{{int64(s.availablePageFile), "what is free on this machine"}}
}
