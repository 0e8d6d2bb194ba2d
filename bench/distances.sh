#!/usr/bin/env bash
# Compares swlab's distances between two clouds with POT's on this machine and prints a Markdown table.
#   bench/distances.sh
#   ROUNDS=5 bench/distances.sh --seconds 5   options go to all programs
# The programs run in turn so that a change of load meets all of them. Every run's JSON is kept in .out/bench/distances.jsonl.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
rounds=${ROUNDS:-3}
results=.out/bench/distances.jsonl

bash bench/setup-pot.sh
mkdir -p .out/bench .bin
go build -o .bin/bench-distances ./bench/distances
: >"$results"

measure() { # name, command...
	local name=$1
	shift
	echo "bench: $name" >&2
	"$@" | tee -a "$results" >/dev/null
}

for round in $(seq "$rounds"); do
	measure "distances, round $round of $rounds, swlab" .bin/bench-distances "$@"
	measure "distances, round $round of $rounds, swlab on one thread" env GOMAXPROCS=1 .bin/bench-distances "$@"
	for dtype in float32 float64; do
		measure "distances, round $round of $rounds, POT in $dtype" .venv-pot/bin/python bench/pot_peer.py --dtype "$dtype" "$@"
	done
done
.venv-pot/bin/python bench/distances_table.py "$results"
