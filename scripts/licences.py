"""Write `THIRD_PARTY_LICENSES.md`: the licences of all packages that a user installs with Perdure, extras included.

    .venv/bin/python scripts/licences.py

Which packages these are, and in which version, `uv.lock` says; what their licences are, the metadata of the installed ones says.
Packages whose metadata says nothing, or not enough, are in `REVIEWED`, each with its source. `tests/upkeep/test_licences.py`
fails if the file is out of date.
"""

from __future__ import annotations

import sys
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any, Final, NamedTuple

from packaging.markers import Marker, default_environment

ROOT: Final = Path(__file__).resolve().parent.parent
LOCK: Final = ROOT / "uv.lock"
PAGE: Final = ROOT / "THIRD_PARTY_LICENSES.md"
PROJECT: Final = "perdure"
PLATFORMS: Final = (("linux", "Linux"), ("darwin", "Darwin"))
PYTHONS: Final = ("3.11", "3.12", "3.13", "3.14", "3.15")

ACCEPTED: Final = frozenset(
    {
        "0BSD",
        "Apache-2.0",
        "Apache-2.0 AND BSD-2-Clause",
        "Apache-2.0 OR BSD-2-Clause",
        "Apache-2.0 OR BSD-3-Clause",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "LGPL-3.0-only",
        "MIT",
        "MIT AND Unicode-3.0",
        "MIT OR Apache-2.0",
        "MIT-0",
        "MPL-2.0",
        "PSF-2.0",
        "Zlib",
    }
)
"""SPDX expressions that were reviewed. Another one is a decision for a person: add it here, or take another package."""

SPELLINGS: Final = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache License, Version 2.0": "Apache-2.0",
    "MIT License": "MIT",
}
"""What the field `License` has been found to say, as SPDX writes it."""

CLASSIFIERS: Final = {
    "License :: OSI Approved :: Apache Software License": "Apache-2.0",
    "License :: OSI Approved :: MIT License": "MIT",
    "License :: OSI Approved :: Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}
"""Classifiers that name one licence. `BSD License` does not: there are several."""


class Reviewed(NamedTuple):
    """What was found out about a package by reading it. `version`: the one that was read; another one has to be read again."""

    version: str
    licence: str
    source: str


REVIEWED: Final = {
    "apsw": Reviewed(
        "3.54.1.0", "Zlib", "`LICENSE` in the wheel: the text of Zlib, or any OSI licence; contains SQLite"
    ),
    "cronsim": Reviewed("2.8", "BSD-3-Clause", "`LICENSE` in the wheel; the classifier says BSD without a number"),
    "quickjs-ng": Reviewed("0.17.0.2", "MIT AND Unicode-3.0", "`LICENSE` in the wheel and in QuickJS-ng; see below"),
}

NOTES: Final = """\
## quickjs-ng

`quickjs-ng` on PyPI (<https://github.com/genotrance/quickjs-ng>) is a Python wrapper, a fork of the archived
package `quickjs`, with the JavaScript engine compiled into `_quickjs.abi3.so`. Its metadata has no licence field
and no classifier. The wheel has a `LICENSE`, the MIT License with "Copyright (c) 2026 Ganesh Viswanathan", and its
description says MIT.

The engine in it is QuickJS-ng 0.17.0 (<https://github.com/quickjs-ng/quickjs>), the maintained fork of QuickJS
(<https://bellard.org/quickjs/>). Its `LICENSE` is the MIT License, with copyright of Fabrice Bellard, Charlie
Gordon, Ben Noordhuis and Saúl Ibarra Corretgé, and, for tables that are derived from the Unicode Character
Database, the Unicode License V3. It was read at commit `55e3174b9c80ead0ad2337c38bd180de7d2b689f`. The wheel does
not contain these notices: redistribute them with it.

## Libraries inside of wheels

This page lists packages. Wheels with compiled code contain further libraries, which package metadata does not
name: SQLite in `apsw` (public domain), OpenSSL in `cryptography`, libuv in `uvloop`, llhttp in `httptools`, and in
`psycopg-binary` libpq with OpenSSL, Kerberos, OpenLDAP and others. Whoever redistributes the wheels, in a
container image for example, has to look at these too.

## Scope

Packages that are needed only on Windows or in a browser are left out, because Perdure does not run there. So are
those that are needed only for the development of Perdure.
"""


class Package(NamedTuple):
    name: str
    version: str
    licence: str
    source: str
    needed_for: str


def is_for_us(dependency: dict[str, Any]) -> bool:
    """Whether a dependency is installed on any platform that Perdure runs on."""
    if "marker" not in dependency:
        return True
    marker = Marker(dependency["marker"])
    here = {key: str(value) for key, value in default_environment().items()}
    platforms = ({**here, "sys_platform": name, "platform_system": system} for name, system in PLATFORMS)
    versions = [{"python_version": version, "python_full_version": f"{version}.0"} for version in PYTHONS]
    return any(marker.evaluate(platform | version) for platform in platforms for version in versions)


def locked(lock: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """The packages that a user installs: name to version and what it is needed for, the core or an extra."""
    packages = {package["name"]: package for package in lock["package"]}
    assert len(packages) == len(lock["package"]), "a package is locked in two versions; list both"
    project = packages[PROJECT]
    roots = {"core": project["dependencies"]} | project["optional-dependencies"]
    found: dict[str, tuple[str, str]] = {}
    for part, dependencies in roots.items():
        pending = list(dependencies)
        while pending:
            dependency = pending.pop()
            if not is_for_us(dependency):
                continue
            package = packages[dependency["name"]]
            extras = package.get("optional-dependencies", {})
            wanted = [each for extra in dependency.get("extra", ()) for each in extras[extra]]
            if package["name"] in found:
                pending += [each for each in wanted if each["name"] not in found]
                continue
            found[package["name"]] = (package["version"], part)
            pending += [*package.get("dependencies", ()), *wanted]
    return found


def licence_of(name: str, version: str) -> tuple[str, str]:
    """The licence of a package as SPDX writes it, and where that is said; empty if it is unknown."""
    reviewed = REVIEWED.get(name)
    if reviewed is not None:
        return (reviewed.licence, reviewed.source) if reviewed.version == version else ("", "")
    try:
        about = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return "", ""
    if about.version != version:
        return "", ""
    said = about.metadata
    if said.get("License-Expression"):
        return said["License-Expression"], "metadata: License-Expression"
    spelt = (said.get("License") or "").strip()
    licence = SPELLINGS.get(spelt, spelt)
    if licence in ACCEPTED:
        return licence, "metadata: License"
    classified = {CLASSIFIERS[each] for each in said.get_all("Classifier", ()) if each in CLASSIFIERS}
    return (classified.pop(), "metadata: classifier") if len(classified) == 1 else ("", "")


def packages() -> list[Package]:
    lock = tomllib.loads(LOCK.read_text("utf-8"))
    return [
        Package(name, version, *licence_of(name, version), part)
        for name, (version, part) in sorted(locked(lock).items())
    ]


def problems(found: list[Package]) -> list[str]:
    """Packages whose licence is unknown or was not accepted, each with what to do; and reviews of packages that are gone."""
    unknown = [
        f"{each.name} {each.version}: unknown licence; read it, and add it to REVIEWED in scripts/licences.py with its source"
        for each in found
        if not each.licence
    ]
    unaccepted = [
        f"{each.name} {each.version}: {each.licence} was not accepted; decide about it, and add it to ACCEPTED"
        for each in found
        if each.licence and each.licence not in ACCEPTED
    ]
    names = {each.name for each in found}
    gone = [f"{name}: no dependency any more; remove it from REVIEWED" for name in REVIEWED if name not in names]
    return [*unknown, *unaccepted, *gone]


def page(found: list[Package]) -> str:
    rows = [f"| {each.name} | {each.version} | {each.licence} | {each.needed_for} | {each.source} |" for each in found]
    return "\n".join([HEAD, *rows, "", NOTES])


HEAD: Final = """\
# Third-party licences

Licences of the packages that are installed with Perdure, as `uv.lock` has them. `scripts/licences.py` writes this page.
*Needed for*: `core`, or the extra that brings the package. Perdure itself is under the Apache License 2.0 (`LICENSE`).

| package | version | licence (SPDX) | needed for | source |
|---|---|---|---|---|"""


def main() -> int:
    found = packages()
    wrong = problems(found)
    for problem in wrong:
        print(problem, file=sys.stderr)
    if wrong:
        return 1
    PAGE.write_text(page(found), "utf-8")
    print(f"{PAGE.name}: {len(found)} packages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
