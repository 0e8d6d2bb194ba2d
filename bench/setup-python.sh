#!/usr/bin/env bash
# Installs the Python packages that a benchmark compares with into a folder of their own at the root of the repository.
#   bench/setup-python.sh torch      PyTorch and JAX for the CPU into .venv-torch, 3.4 GB (downloads about 2 GB)
#   bench/setup-python.sh pot        POT, SciPy and NumPy into .venv-pot, 0.4 GB (downloads about 60 MB)
#   PYTHON=python3.12 bench/setup-python.sh pot
# It does nothing when the pinned requirements are installed already. The Linux wheel of PyTorch is a CUDA build: it does not load
# without the CUDA libraries it is linked to. They are installed, and what a CPU run never loads is deleted again.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
peer=${1:-}

fail() { echo "setup-python: $*" >&2; exit 1; }

case $peer in
torch) modules="torch jax" gigabytes=6 checks=() ;; # --no-deps: torch's own list would add the CUDA tool kit, which a CPU run never loads
pot) modules=ot gigabytes=1 checks=(--require-hashes --only-binary :all:) ;;
*) fail "expected torch or pot, found '$peer'" ;;
esac
venv=$root/.venv-$peer
requirements=$root/bench/requirements-$peer.txt
log=$venv/install.log

pins() { grep -v '^#' "$1"; }
if [ -f "$venv/requirements.installed" ] && [ "$(pins "$requirements")" = "$(pins "$venv/requirements.installed")" ]; then
	exit 0
fi

python=${PYTHON:-python3}
command -v "$python" >/dev/null || fail "no '$python' on the PATH; install Python 3.11 or newer, or name one with PYTHON=..."
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || fail "$("$python" --version) is too old for the pinned packages; name Python 3.11 or newer with PYTHON=..."
free_kb=$(df -Pk "$root" | awk 'NR==2 {print $4}')
[ "$free_kb" -gt $((gigabytes * 1000000)) ] || fail "needs $gigabytes GB free while installing, found $((free_kb / 1000000)) GB at the repository"

echo "setup-python: installing bench/requirements-$peer.txt into .venv-$peer"
rm -rf "$venv"
"$python" -m venv "$venv" 2>/dev/null || fail "'$python -m venv .venv-$peer' failed; install the venv module of that Python"
echo '*' >"$venv/.gitignore"
"$venv/bin/python" -m pip install --quiet --no-deps ${checks[@]+"${checks[@]}"} --no-cache-dir --no-compile --disable-pip-version-check \
	--requirement "$requirements" >"$log" 2>&1 ||
	fail "pip could not install bench/requirements-$peer.txt: $(grep -m1 -i error "$log" || tail -n1 "$log"); whole output in .venv-$peer/install.log; mend the access to the package index and run bench/setup-python.sh $peer again"

if [ "$peer" = torch ]; then
	"$venv/bin/python" - <<'PY' >>"$log" 2>&1 || fail "PyTorch was installed but does not run: $(tail -n1 "$log"); whole output in .venv-torch/install.log"
"""Take one step on the CPU, then delete the CUDA libraries that it did not load."""
import os, pathlib, sys
import torch

layer = torch.nn.Linear(3, 2)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
layer(torch.ones(4, 3)).sum().backward()
optimizer.step()
if sys.platform == "linux":
    with open("/proc/self/maps") as maps:
        loaded = {os.path.realpath(line.split(maxsplit=5)[-1].strip()) for line in maps if ".so" in line}
    for path in (pathlib.Path(torch.__file__).parent.parent / "nvidia").rglob("*"):
        if path.is_file() and path.stat().st_size > 1 << 20 and os.path.realpath(path) not in loaded:
            path.unlink()
PY
fi
"$venv/bin/python" -c "import ${modules// /, }" >>"$log" 2>&1 || fail "what was installed does not load: $(tail -n1 "$log"); whole output in .venv-$peer/install.log"
cp "$requirements" "$venv/requirements.installed"
echo "setup-python: $("$venv/bin/python" -c "import sys; print(*(f'{m} {__import__(m).__version__}' for m in sys.argv[1:]), sep=', ')" $modules) in .venv-$peer, $(du -sh "$venv" | cut -f1)"
