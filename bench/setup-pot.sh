#!/usr/bin/env bash
# Installs POT (Python Optimal Transport), SciPy and NumPy into .venv-pot at the root of the repository, 0.4 GB.
#   bench/setup-pot.sh            does nothing when the pinned requirements are installed already
#   PYTHON=python3.12 bench/setup-pot.sh
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
venv=$root/.venv-pot
requirements=$root/bench/requirements-pot.txt
log=$venv/install.log

fail() { echo "setup-pot: $*" >&2; exit 1; }

if [ -f "$venv/requirements.installed" ] && cmp -s "$requirements" "$venv/requirements.installed"; then
	exit 0
fi

python=${PYTHON:-python3}
command -v "$python" >/dev/null || fail "no '$python' on the PATH; install Python 3.11 or newer, or name one with PYTHON=..."
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || fail "$("$python" --version) is too old for the pinned packages; name Python 3.11 or newer with PYTHON=..."

echo "setup-pot: installing POT into .venv-pot (downloads about 60 MB)"
rm -rf "$venv"
"$python" -m venv "$venv" 2>/dev/null || fail "'$python -m venv .venv-pot' failed; install the venv module of that Python"
echo '*' >"$venv/.gitignore"
"$venv/bin/python" -m pip install --quiet --no-deps --require-hashes --only-binary :all: --no-cache-dir --no-compile --disable-pip-version-check \
	--requirement "$requirements" >"$log" 2>&1 ||
	fail "pip could not install bench/requirements-pot.txt: $(grep -m1 -i error "$log" || tail -n1 "$log"); whole output in .venv-pot/install.log; mend the access to the package index and run bench/setup-pot.sh again"
"$venv/bin/python" -c 'import ot' >>"$log" 2>&1 || fail "POT was installed but does not run: $(tail -n1 "$log"); whole output in .venv-pot/install.log"
cp "$requirements" "$venv/requirements.installed"
echo "setup-pot: $("$venv/bin/python" -c 'import ot; print("POT", ot.__version__)') in .venv-pot, $(du -sh "$venv" | cut -f1)"
