package train

import (
	"os"
	"strconv"
	"strings"
)

// deviceData is Options.DeviceData where it is left open: all of ShapeNet's 1.41 GB fit.
const deviceData = 2 << 30

// defaultDeviceData is deviceData, and where so many devices share the host's memory, together at most half of what is free.
func defaultDeviceData(backend string, devices int) int64 {
	if backend == "xla:cuda" {
		return deviceData
	}
	raw, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return deviceData // no Linux
	}
	free := kilobytes(string(raw), "MemAvailable:")
	if free == 0 {
		return deviceData // a kernel that does not say
	}
	return min(deviceData, free/2/int64(devices))
}

// kilobytes is the value in bytes of the line that starts with name, as in files below /proc; 0 where there is none.
func kilobytes(text, name string) int64 {
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			if fields := strings.Fields(rest); len(fields) > 0 {
				kb, _ := strconv.ParseInt(fields[0], 10, 64)
				return kb << 10
			}
		}
	}
	return 0
}
