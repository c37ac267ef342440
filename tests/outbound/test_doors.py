"""Which modules can open a socket, and why each may. Whoever adds one has to say so here, and add its client to `clients`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import perdure

ROOT = Path(perdure.__file__).parent
LIBRARIES = {
    "socket", "socketserver", "smtplib", "ftplib", "imaplib", "poplib", "nntplib", "telnetlib", "http.client", "http.server", "xmlrpc",
    "urllib.request", "urllib3", "requests", "aiohttp", "httpx", "httpx2", "httpcore", "httpcore2", "websockets", "grpc", "paramiko",
    "openai", "mcp", "anyio", "restate", "hypercorn", "uvicorn", "psycopg", "asyncpg", "redis", "boto3", "botocore", "google", "azure",
    "authlib", "dns", "opentelemetry", "sentry_sdk",
}  # fmt: skip
CALLS = {
    "open_connection", "open_unix_connection", "create_connection", "create_unix_connection", "create_datagram_endpoint", "sock_connect",
    "getaddrinfo", "urlopen", "connect_tcp", "connect_unix",
}  # fmt: skip
REASONS = {
    "api/handing_over.py": "hands the socket on that others connect to",
    "api/mcp": "is called by agents; of the library, what answers them",
    "api/server.py": "listens, and connects to nothing",
    "api/arriving.py": "reads what comes over a connection that somebody else has opened",
    "cli/serving.py": "listens, and connects to nothing",
    "cli/systemd.py": "tells systemd how it stands, at a path on this machine",
    "client": "the server that whoever uses it names",
    "hosts/restate/calling.py": "is called by Restate",
    "hosts/restate/executions.py": "is called by Restate",
    "hosts/restate/host.py": "listens for Restate, and calls the addresses of it that the operator gives",
    "hosts/restate/ingress.py": "calls the addresses of Restate that the operator gives",
    "hosts/restate/messages.py": "names of Restate",
    "hosts/restate/policies.py": "names of Restate",
    "hosts/restate/recording.py": "is called by Restate",
    "hosts/restate/shelf.py": "names of Restate",
    "hosts/tracing/exporting.py": "the collector of spans that the operator names",
    "service/oidc/provider.py": "by the door; of the library, how requests are written",
    "service/oidc/tokens.py": "reads tokens",
    "store/postgres": "the database of the operator",
    "tasks/connecting.py": "the one place where the door connects",
    "tasks/door.py": "the door",
    "tasks/http.py": "reads URLs; calls by the door",
    "tasks/host_names.py": "reads URLs",
    "tasks/llm.py": "calls the provider of the operator, by a door that is open to it and to nothing more",
    "tasks/mcp/over_http.py": "by the door",
    "tasks/mcp/session.py": "speaks by a transport that it is given",
    "tasks/mcp/stdio.py": "pipes of a program",
    "tasks/resolving.py": "asks for names, for the door",
    "tasks/sandbox/children.py": "a pair of sockets to a process of its own, which can open none",
    "tasks/smtp.py": "the mail server of the operator",
    "tasks/targets.py": "reads URLs",
    "tasks/transport.py": "the transport of the door",
    "tasks/unpacking.py": "a transport over that of the door",
}


def modules() -> Iterator[tuple[str, ast.Module]]:
    for file in sorted(ROOT.rglob("*.py")):
        yield file.relative_to(ROOT).as_posix(), ast.parse(file.read_text("utf-8"))


def doors(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (each.name for each in names if _is_library(each.name))
            case ast.ImportFrom(module=str(module), level=0, names=names):
                yield from (f"{module}.{each.name}" for each in names if _is_library(f"{module}.{each.name}"))
            case ast.Attribute(attr=attr) if attr in CALLS:
                yield attr
            case ast.Call(func=ast.Name(id="__import__")) | ast.Call(func=ast.Attribute(attr="import_module")):
                yield "an import by name"


def _is_library(name: str) -> bool:
    return any(name == library or name.startswith(f"{library}.") for library in LIBRARIES)


def reason(module: str) -> str | None:
    return next((why for place, why in REASONS.items() if module == place or module.startswith(f"{place}/")), None)


BY_NAME = {"bench/peers/running.py", "tasks/loading.py"}
"""What they import is said by whoever runs the process."""


def test_nothing_else_opens_a_socket() -> None:
    found = {module: sorted(set(doors(tree))) for module, tree in modules()}
    unknown = {name: what for name, what in found.items() if what and reason(name) is None}
    assert {name: what for name, what in unknown.items() if what != ["an import by name"] or name not in BY_NAME} == {}
    assert [
        place for place in REASONS if not any(reason(name) == REASONS[place] for name in found if found[name])
    ] == []


def test_clients_of_the_http_library_ask_no_environment_and_leave_by_the_door() -> None:
    """`trust_env=False`, no redirects; and a transport of the door, but for the addresses that the operator gives."""
    seen = []
    for module, tree in modules():
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and ast.unparse(node.func) in ("httpx2.AsyncClient", "httpx2.Client")):
                continue
            given = {each.arg: ast.unparse(each.value) for each in node.keywords}
            seen.append(module)
            is_on_a_desk = module.startswith("client/")
            assert is_on_a_desk or given.get("trust_env") == "False", module
            assert given.get("follow_redirects", "False") == "False", module
            assert "transport" in given or module.startswith(("client/", "hosts/restate/")), module
    assert sorted(seen) == [
        "client/channel.py",
        "hosts/restate/host.py",
        "hosts/restate/ingress.py",
        "tasks/llm.py",
        "tasks/mcp/over_http.py",
    ]
    short = [f"{module}:{name}" for module, tree in modules() for name in doors(tree) if name.startswith("httpx2.")]
    assert short == []  # `from httpx2 import AsyncClient` would not be seen above
