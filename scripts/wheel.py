"""Builds the wheel of the Python package for Linux: wheel.py ARCHITECTURE OUT, x86_64 or aarch64.

The compiler is $CC, else gcc. The tag says which version of glibc the library really needs.

A wheel is a zip archive with three files of metadata, and this one holds two programs that Go builds. A build
backend would write the same metadata, but needs a plug-in of ours for the programs and for the tag; so the standard
library writes it, and nothing is to be installed. Equal sources give equal bytes.
"""

import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

import third_party

ROOT = pathlib.Path(__file__).resolve().parent.parent
GOARCH = {"x86_64": "amd64", "aarch64": "arm64"}


def run(*command, **variables):
    return subprocess.run(command, check=True, cwd=ROOT, env=os.environ | variables, stdout=subprocess.PIPE, text=True).stdout


def version():
    """That of CITATION.cff at its tag, else a development version with the commit."""
    released = re.search(r"(?m)^version: v(.*)$", (ROOT / "CITATION.cff").read_text()).group(1)
    commit = run("git", "describe", "--always", "--abbrev=40", "--dirty", "--exclude", "*").strip()
    tags = run("git", "tag", "--points-at", "HEAD").split()
    if f"v{released}" in tags and not commit.endswith("-dirty"):
        return released, commit
    return f"{released}.dev0+g{commit[:12]}{'.dirty' if commit.endswith('-dirty') else ''}", commit


def build(arch, folder, commit):
    """The library and the program, in folder."""
    flags = f"-s -w -X {third_party.MODULE}/internal/version.commit={commit}"
    common = ["-trimpath", "-ldflags", flags, "-tags", "noxla"]
    target = dict(GOOS="linux", GOARCH=GOARCH[arch])
    run("go", "build", *common, "-buildmode=c-shared", "-o", f"{folder}/libswlab.so", "./python/library", CGO_ENABLED="1", **target)
    run("go", "build", *common, "-o", f"{folder}/swlab", "./cmd/swlab", CGO_ENABLED="0", **target)


def glibc(library):
    """The newest version of glibc that a library needs symbols of."""
    needed = re.findall(r"GLIBC_2\.(\d+)", run("readelf", "--version-info", "--wide", str(library)))
    return max(map(int, needed))


def metadata(release):
    text = (ROOT / "python/swlab/__init__.py").read_text().split('"""')[1]
    return f"""Metadata-Version: 2.4
Name: swlab
Version: {release}
Summary: {text.splitlines()[0]}
License-Expression: MIT
License-File: LICENSE
License-File: THIRD_PARTY.txt
Project-URL: Source, https://{third_party.MODULE}
Classifier: Operating System :: POSIX :: Linux
Classifier: Typing :: Typed
Requires-Python: >=3.9
Requires-Dist: numpy>=1.22
Provides-Extra: torch
Requires-Dist: torch; extra == "torch"
Description-Content-Type: text/plain

{text}"""


def main():
    arch, out = sys.argv[1], pathlib.Path(sys.argv[2])
    release, commit = version()
    with tempfile.TemporaryDirectory() as folder:
        built = pathlib.Path(folder)
        build(arch, built, commit)
        tag = f"py3-none-manylinux_2_{max(17, glibc(built / 'libswlab.so'))}_{arch}"
        for program in ("swlab", "libswlab.so"):
            third_party.sbom(built / program, built / f"{program}.cdx.json")
        third_party.licences(built / "swlab", built / "THIRD_PARTY.txt")
        info = f"swlab-{release}.dist-info"
        files = {f"swlab/{f.name}": f.read_bytes() for f in sorted((ROOT / "python/swlab").iterdir()) if f.suffix == ".py" or f.name == "py.typed"}
        files["swlab/libswlab.so"] = (built / "libswlab.so").read_bytes()
        files[f"swlab-{release}.data/scripts/swlab"] = (built / "swlab").read_bytes()
        files[f"{info}/licenses/LICENSE"] = (ROOT / "LICENSE").read_bytes()
        files[f"{info}/licenses/THIRD_PARTY.txt"] = (built / "THIRD_PARTY.txt").read_bytes()
        for program in ("swlab", "libswlab.so"):
            files[f"{info}/sboms/{program}.cdx.json"] = (built / f"{program}.cdx.json").read_bytes()
        files[f"{info}/METADATA"] = metadata(release).encode()
        files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: swlab\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    record = [f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}" for name, data in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    out.mkdir(parents=True, exist_ok=True)
    wheel = out / f"swlab-{release}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if "/scripts/" in name or name.endswith(".so") else 0o100644) << 16
            archive.writestr(entry, data)
    print(wheel)


if __name__ == "__main__":
    main()
