"""A server of MCP by stdio whose tools answer, and fail, with a hostile value: `{"n": 3}` says which. It needs nothing but Python."""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from hostile.values import VALUES

TEXTS = list(VALUES.values())
INPUT = {"type": "object", "properties": {"n": {"type": "integer"}}}
TOOLS = [{"name": name, "inputSchema": INPUT} for name in ("answer", "fail", "refuse")]

for line in sys.stdin:
    request = json.loads(line)
    method, id_ = request.get("method"), json.dumps(request.get("id"))
    if method == "initialize":
        version = request["params"]["protocolVersion"]
        told = {
            "protocolVersion": version,
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "odd", "version": "1"},
        }
        result = json.dumps(told)
    elif method == "tools/list":
        result = json.dumps({"tools": TOOLS})
    elif method == "tools/call" and request["params"]["name"] == "refuse":
        text = TEXTS[request["params"]["arguments"]["n"]]
        message = text if text.startswith('"') else json.dumps(text)
        error = f'{{"code": -32000, "message": {message}, "data": {text}}}'
        sys.stdout.write(f'{{"jsonrpc": "2.0", "id": {id_}, "error": {error}}}\n')
        sys.stdout.flush()
        continue
    elif method == "tools/call":
        text = TEXTS[request["params"]["arguments"]["n"]]
        content = f'[{{"type": "text", "text": {text if text.startswith(chr(34)) else json.dumps(text)}}}]'
        is_error = json.dumps(request["params"]["name"] == "fail")
        result = f'{{"content": {content}, "structuredContent": {{"x": {text}}}, "isError": {is_error}}}'
    elif "id" in request:
        result = "{}"
    else:
        continue
    sys.stdout.write(f'{{"jsonrpc": "2.0", "id": {id_}, "result": {result}}}\n')
    sys.stdout.flush()
