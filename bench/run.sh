#!/usr/bin/env bash
# Compares swlab's training step with PyTorch's on this machine and prints a Markdown table.
#   bench/run.sh                                       batch 32, 512 points, 100 slices, 20 steps
#   bench/run.sh --batch 128 --points 2048 --steps 5   options go to both programs
#   ROUNDS=5 LOSSES=sw bench/run.sh
# The programs run in turn (torch, swlab, torch with huge pages, torch, swlab, ...) so that a change of load meets all
# of them. Every run's JSON is kept in .out/bench/steps.jsonl.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
rounds=${ROUNDS:-3}
losses=${LOSSES:-sw la}
results=.out/bench/steps.jsonl

bash bench/setup-torch.sh
mkdir -p .out/bench .bin
go build -o .bin/bench-step ./bench/step
: >"$results"

measure() { # name, command...
	local name=$1
	shift
	echo "bench: $name" >&2
	"$@" | tee -a "$results" >/dev/null
}

for loss in $losses; do
	for round in $(seq "$rounds"); do
		measure "$loss, round $round of $rounds, torch" env -u GLIBC_TUNABLES .venv-torch/bin/python bench/peer.py --loss "$loss" "$@"
		measure "$loss, round $round of $rounds, swlab" .bin/bench-step --loss "$loss" "$@"
		measure "$loss, round $round of $rounds, torch with huge pages" \
			env -u GLIBC_TUNABLES THP_MEM_ALLOC_ENABLE=1 .venv-torch/bin/python bench/peer.py --loss "$loss" "$@"
	done
done
.venv-torch/bin/python bench/table.py "$results"
