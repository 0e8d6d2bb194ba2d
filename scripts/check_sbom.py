"""Checks bills of materials, files or those in wheels, against the schema of CycloneDX 1.6: check_sbom.py FILE..."""

import sys
import zipfile

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

for path in sys.argv[1:]:
    if path.endswith(".whl"):
        with zipfile.ZipFile(path) as wheel:
            texts = {f"{path}: {name}": wheel.read(name).decode() for name in wheel.namelist() if name.endswith(".cdx.json")}
    else:
        with open(path) as file:
            texts = {path: file.read()}
    if not texts:
        sys.exit(f"FAILED: {path}: no bill of materials")
    for name, text in texts.items():
        wrong = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
        if wrong:
            sys.exit(f"FAILED: {name}: {wrong}")
