"""Code of documents, compiled before it is kept: what is no JavaScript to its last rule is told now, and not by an execution."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from perdure.expressions.wording import shown
from perdure.hosts.embedded import Host
from perdure.model.problem import Problem
from perdure.service.documents import Validated
from perdure.tasks.sandbox import Fault, SandboxBroken

if TYPE_CHECKING:
    from perdure.dialects.port import Code


_REGEXES_MAX: Final = 200
"""So many are looked at for the one that is at fault: each is a call of the sandbox."""


async def compiled(host: Host, found: Validated, organization: str) -> Validated:
    """The same document, with all that cannot be compiled among its problems. Where nothing can be compiled, nothing is said: who
    runs it will.
    """
    told = await asyncio.gather(*(_fault(host, each, organization) for each in found.code))
    faults = tuple(problem for problem in told if problem is not None)
    return replace(found, workflow=None, problems=(*found.problems, *faults)) if faults else found


async def _fault(host: Host, code: Code, organization: str) -> Problem | None:
    try:
        fault = await host.sandbox.fault(code.javascript, organization=organization)
        if fault is not None and fault.line is None:
            fault = await _fault_of_regex(host, code, organization) or fault
    except SandboxBroken:
        return None
    if fault is None:
        return None
    place = "" if fault.line is None else f" (line {fault.line}, column {fault.column})"
    return replace(code.problem, message=f"it is no JavaScript that can run: {fault.message}{place}")


async def _fault_of_regex(host: Host, code: Code, organization: str) -> Fault | None:
    """The first regular expression that cannot be compiled: of these, it is not said where they stand."""
    for text, line, column in code.regexes[:_REGEXES_MAX]:
        fault = await host.sandbox.fault(f"({text});", organization=organization)
        if fault is not None:
            return Fault(f"{fault.message}, in the regular expression {shown(text)}", line, column)
    return None
