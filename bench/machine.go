package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode"
)

// machine describes where the numbers were measured.
type machine struct {
	Processor string `json:"processor"`
	Model     string `json:"model"`   // processors of one name differ in speed
	Vectors   string `json:"vectors"` // the widest instructions
	Cores     int    `json:"cores"`
	Memory    string `json:"memory"`
	System    string `json:"system"`
	HugePages string `json:"huge_pages"` // what the kernel offers
	Load      string `json:"load"`       // when the report was written
	Go        string `json:"go"`
	Commit    string `json:"commit,omitempty"` // of the program, when the report was written
	Date      string `json:"date"`
}

func thisMachine() machine {
	return machine{
		Processor: field("/proc/cpuinfo", "model name"),
		Model:     "family " + field("/proc/cpuinfo", "cpu family") + ", model " + field("/proc/cpuinfo", "model"), Vectors: vectors(field("/proc/cpuinfo", "flags")), Cores: runtime.NumCPU(), Memory: gigabytes(field("/proc/meminfo", "MemTotal")),
		System: runtime.GOOS + "/" + runtime.GOARCH + ", kernel " + content("/proc/sys/kernel/osrelease"), HugePages: content("/sys/kernel/mm/transparent_hugepage/enabled"),
		Load: content("/proc/loadavg"), Go: runtime.Version(), Commit: commit(), Date: time.Now().UTC().Format("2006-01-02"),
	}
}

// like reports whether times of both machines can stand in one report.
func (m machine) like(other machine) bool {
	return m.Processor == other.Processor && m.Model == other.Model && m.Vectors == other.Vectors && m.Cores == other.Cores
}

// slug names a kind of machine in the name of a file.
func (m machine) slug() string {
	name := fmt.Sprintf("%s %s %s %d cores", m.Processor, m.Model, m.Vectors, m.Cores)
	words := strings.FieldsFunc(strings.ToLower(name), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	return strings.Join(words, "-")
}

// commit is the short name of the commit at hand, with -dirty after a change.
func commit() string {
	out, err := exec.Command("git", "describe", "--always", "--dirty", "--abbrev=8", "--exclude=*").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// field returns the value of the first line "name : value" of a file, or "unknown".
func field(path, name string) string {
	for line := range strings.Lines(content(path)) {
		if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == name {
			return strings.TrimSpace(v)
		}
	}
	return "unknown"
}

// vectors returns the widest vector instructions among the processor's flags.
func vectors(flags string) string {
	for _, v := range []struct{ flag, name string }{{"avx512f", "AVX-512"}, {"avx2", "AVX2"}} {
		if slices.Contains(strings.Fields(flags), v.flag) {
			return v.name
		}
	}
	return "neither AVX-512 nor AVX2"
}

// gigabytes formats "24684084 kB" as "24.7 GB" and leaves other texts alone.
func gigabytes(s string) string {
	var kb float64
	if _, err := fmt.Sscanf(s, "%g kB", &kb); err != nil {
		return s
	}
	return fmt.Sprintf("%.1f GB", 1024*kb/1e9)
}

func content(path string) string {
	raw, err := os.ReadFile(path)
	if err != nil {
		return "unknown"
	}
	return string(bytes.TrimSpace(raw))
}
