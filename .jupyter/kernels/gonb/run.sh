#!/bin/sh
# run.sh CONNECTION-FILE: starts the Go kernel of the repository this file lies in. Jupyter calls it.
root=$(cd "$(dirname "$0")/../../.." && pwd -P) || exit 1
if ! [ -x "$root/.bin/gonb" ]; then
	echo "swlab: the Go kernel is not installed: run 'make setup' in $root" >&2
	exit 1
fi
. "$root/scripts/env.sh"
# What cells read when the notebook lies outside of the repository: stored results, the network of the lectures.
export SWLAB_ROOT="$root"
# Where the built-in shapes are kept, which would take half a second in every cell.
export SWLAB_CACHE="${SWLAB_CACHE-${XDG_CACHE_HOME:-$HOME/.cache}/swlab}"
# On a server where this folder belongs to somebody else, the log goes to the reader's own cache. By touch, for a failed redirection of ':' would end dash.
log="$root/.out/kernel.log"
if ! { mkdir -p "$root/.out" && touch "$log"; } 2>/dev/null; then
	log="${XDG_CACHE_HOME:-$HOME/.cache}/swlab-kernel.log"
	mkdir -p "$(dirname "$log")" || exit 1
fi
# Every cell is linked as a program: without symbols and tables for debuggers that takes 40 % less processor time. Go's traces keep their lines.
# Go's own linker, in place of the C compiler's, takes 20 % less time again. It has been tried on Linux on x86 only.
case $(uname -sm) in
"Linux x86_64") GOFLAGS='-buildvcs=false "-ldflags=-s -linkmode=internal"' ;;
*) GOFLAGS="-buildvcs=false -ldflags=-s" ;;
esac
# The process behind package lab (experiments/calls/process) lives as long as the kernel, whose number is that of this shell. Cells that
# import lab are built without the library, and ask that process.
if lab=$(mktemp -d "${TMPDIR:-/tmp}/swlab-lab-XXXXXX"); then
	export SWLAB_LAB="$lab/socket" SWLAB_LAB_START="$root/scripts/lab-process" SWLAB_KERNEL=$$
	(cd / && nohup sh "$SWLAB_LAB_START" "$SWLAB_LAB" </dev/null >>"$SWLAB_LAB.log" 2>&1 &)
	GOFLAGS="$GOFLAGS -tags=swlab_cell"
fi
export GOFLAGS
# Its go is that of internal/kernelgo, its gopls has low priority.
PATH="$root/.bin/kernel:$PATH"
# The kernel's own log looks alarming at every start ("Error message", "gopls is not installed") and helps nobody who
# reads a notebook. What the cells print takes another way.
exec "$root/.bin/gonb" --kernel "$1" -raw_error -go_work="$root" 2>>"$log"
