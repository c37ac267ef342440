"""Workflows at a server: saved, checked, listed, activated and compared."""

from __future__ import annotations

from typing import Any

import msgspec

from perdure.answers.workflows import (
    Differences,
    SavedAnswer,
    Validation,
    VersionAnswer,
    WorkflowAnswer,
    saved_from,
    validated_from,
    version_from,
    workflow_from,
)
from perdure.client.channel import Asking, Channel, Query, api, read
from perdure.client.pages import bounds, page
from perdure.dialects import Requirements
from perdure.hosts.refusing import Refused
from perdure.model.problem import Problem
from perdure.model.workflow import Workflow
from perdure.service import documents
from perdure.service.diffing import Change
from perdure.service.documents import Given, Validated
from perdure.service.errors import Conflict
from perdure.service.paging import LIMIT, Page
from perdure.service.workflows import Saved, WorkflowSummary, WorkflowVersion


class Workflows:
    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    async def save(self, given: Given, *, name: str | None = None, activate: bool | None = None) -> Saved:
        """Keep a document as the newest version, and make that the active one, as `Engine.workflows.save` does. The same again
        makes no new one, so that it is sent again if a connection breaks.
        """
        sent = Asking("POST", api("workflows"), {"name": name, "activate": activate}, text(given), safe=True)
        return saved_from(read(await self._channel.ask(sent), SavedAnswer, self._channel.url))

    async def check(self, given: Given, *, name: str | None = None) -> Validated:
        """All that is wrong with a document, and all that is odd, as the server has tasks, secrets and people. Nothing is kept.
        `workflow` is None also where nothing is wrong: the model stays at the server.
        """
        query: Query = {"name": name}
        sent = Asking("POST", api("workflows", "validate"), query, text(given), safe=True)
        try:
            return validated_from(read(await self._channel.ask(sent), Validation, self._channel.url))
        except Refused as error:  # it is no JSON
            return Validated(None, name or "?", None, error.problems)

    async def warnings(self, given: Given, *, name: str | None = None) -> tuple[Problem, ...]:
        """All that is odd about a document, as `save` tells it. Nothing is kept."""
        return (await self.check(given, name=name)).warnings

    def requirements(self, given: bytes | str | dict[str, Any]) -> Requirements:
        """What has to be there for a document to run. Nobody is asked."""
        return documents.requirements(given)

    async def list(self, *, limit: int = LIMIT, cursor: str | None = None) -> Page[WorkflowSummary]:
        """By name."""
        wanted = bounds(limit, cursor)
        return await page(self._channel, "workflows", shape=WorkflowAnswer, read=workflow_from, query=wanted)

    async def show(self, ref: str, version: str | None = None) -> WorkflowVersion:
        """One version with its document: the one that is named, else the active one, else the newest."""
        path = ("workflows", ref) if version is None else ("workflows", ref, "versions", version)
        return version_from(await self._channel.get(*path, shape=VersionAnswer))

    async def versions(self, ref: str) -> tuple[WorkflowVersion, ...]:
        """The newest first, without their documents."""
        found = await page(self._channel, "workflows", ref, "versions", shape=VersionAnswer, read=version_from)
        return found.items

    async def activate(self, ref: str, version: str) -> WorkflowVersion:
        """What starts and events get from now on."""
        return await self._set(ref, version, "activate")

    async def deactivate(self, ref: str, version: str) -> WorkflowVersion:
        """No start and no event gets it any more."""
        return await self._set(ref, version, "deactivate")

    async def _set(self, ref: str, version: str, verb: str) -> WorkflowVersion:
        body = {"version": version}
        return version_from(await self._channel.post("workflows", ref, verb, shape=VersionAnswer, body=body, safe=True))

    async def diff(self, ref: str, old: str, new: str) -> tuple[Change, ...]:
        """What differs between two versions, by its place in the document."""
        query: Query = {"old": old, "new": new}
        return (await self._channel.get("workflows", ref, "diff", shape=Differences, query=query)).changes


def text(given: Given) -> bytes:
    """A document as it is sent: what somebody wrote goes as it stands, so that problems have their lines."""
    if isinstance(given, Workflow):
        raise Conflict("a workflow that a program built cannot be sent to a server; give a document of a dialect")
    if isinstance(given, bytes):
        return given
    return given.encode(errors="surrogatepass") if isinstance(given, str) else msgspec.json.encode(given)
