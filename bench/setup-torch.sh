#!/usr/bin/env bash
# Installs the PyTorch peer (CPU use) into .venv-torch at the root of the repository, about 3 GB.
#   bench/setup-torch.sh            does nothing when the pinned requirements are installed already
#   PYTHON=python3.12 bench/setup-torch.sh
# The Linux wheel of PyTorch is a CUDA build: it does not load without the CUDA libraries it is linked to. They are
# installed, and what a CPU run never loads (cuDNN's engines, device code, static archives) is deleted again.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
venv=$root/.venv-torch
requirements=$root/bench/requirements-torch.txt
log=$venv/install.log

fail() { echo "setup-torch: $*" >&2; exit 1; }

if [ -f "$venv/requirements.installed" ] && cmp -s "$requirements" "$venv/requirements.installed"; then
	exit 0
fi

python=${PYTHON:-python3}
command -v "$python" >/dev/null || fail "no '$python' on the PATH; install Python 3.11 or newer, or name one with PYTHON=..."
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || fail "$("$python" --version) is too old for the pinned packages; name Python 3.11 or newer with PYTHON=..."
free_kb=$(df -Pk "$root" | awk 'NR==2 {print $4}')
[ "$free_kb" -gt 6000000 ] || fail "needs 6 GB free while installing (3 GB after), found $((free_kb / 1000000)) GB at the repository"

echo "setup-torch: installing PyTorch into .venv-torch (downloads about 2 GB)"
rm -rf "$venv"
"$python" -m venv "$venv" 2>/dev/null || fail "'$python -m venv .venv-torch' failed; install the venv module of that Python"
"$venv/bin/python" -m pip install --quiet --no-deps --no-cache-dir --no-compile --disable-pip-version-check \
	--requirement "$requirements" >"$log" 2>&1 ||
	fail "pip could not install bench/requirements-torch.txt: $(grep -m1 -i error "$log" || tail -n1 "$log"); whole output in .venv-torch/install.log; mend the access to the package index and run bench/setup-torch.sh again"

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
"$venv/bin/python" -c 'import torch' >>"$log" 2>&1 || fail "PyTorch does not load after the unused CUDA libraries were deleted: $(tail -n1 "$log")"
cp "$requirements" "$venv/requirements.installed"
echo "setup-torch: $("$venv/bin/python" -c 'import torch; print("torch", torch.__version__)') in .venv-torch, $(du -sh "$venv" | cut -f1)"
