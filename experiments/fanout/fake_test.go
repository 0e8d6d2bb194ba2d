//go:build unix

package fanout

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A small Slurm: sbatch runs every task of the array at once as a process, squeue lists those that have not ended. $FAKE holds a
// file per task that is queued, and the calls of sbatch.
const (
	fakeSbatch = `#!/bin/sh
[ -e "$FAKE/refuse" ] && { cat "$FAKE/refuse" >&2; exit 1; }
for script; do :; done
echo "$*" >>"$FAKE/calls"
id=$(wc -l <"$FAKE/calls")
array=$(sed -n 's/^#SBATCH --array=\([^%]*\).*/\1/p' "$script")
for part in $(echo "$array" | tr , ' '); do
	for i in $(seq "${part%-*}" "${part#*-}"); do echo PENDING >"$FAKE/${id}_$i"; done
done
for file in "$FAKE/${id}"_*; do
	(
		[ -e "$FAKE/hold" ] && read go <"$FAKE/hold"
		echo RUNNING >"$file"
		export SLURM_ARRAY_JOB_ID=$id SLURM_ARRAY_TASK_ID=${file##*_} SLURM_CPUS_ON_NODE=3
		[ -e "$FAKE/lose" ] || sh "$script" >>"logs/slurm-${file##*_}.txt" 2>&1
		rm "$file"
	) </dev/null >/dev/null 2>&1 &
done
echo "$id${CLUSTER:+;$CLUSTER}"
`
	fakeSqueue = `#!/bin/sh
if [ -e "$FAKE/silent" ]; then rm "$FAKE/silent"; echo "Unable to contact slurm controller" >&2; exit 1; fi
echo "$*" >>"$FAKE/asked"
found=
for file in "$FAKE/${4}"_*; do
	state=$(cat "$file" 2>/dev/null) && { echo "${file##*/}|$state|Resources"; found=1; }
done
[ "$found" ] || { echo "slurm_load_jobs error: Invalid job id specified" >&2; exit 1; }
`
)

// fake puts the small Slurm on the PATH, alone with what it needs, and returns its folder.
func fake(t *testing.T) string {
	t.Helper()
	bin, state := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{"sbatch": fakeSbatch, "squeue": fakeSqueue} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+":/usr/bin:/bin")
	t.Setenv("FAKE", state)
	return state
}

// submitted is the array of the newest script.
func submitted(t *testing.T, dir string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, scriptFile))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(raw), "#SBATCH --array=")
	line, _, _ := strings.Cut(rest, "\n")
	return line
}
