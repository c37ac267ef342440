"""The workflows of an organization as tools. What was found is believed for a moment, and only what has changed is read again."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Final

from mcp_types import Tool, ToolAnnotations
from msgspec import Struct

from perdure.api.mcp.naming import tool_name
from perdure.api.mcp.schemas import input_schema
from perdure.service.engine import Engine
from perdure.service.offers import Offer

TRUSTED_SECONDS: Final = 2.0
TOOLS_MAX: Final = 1_000
"""So many workflows of an organization are tools, the first by name. Whoever has more starts the others over REST."""

ORGANIZATIONS_MAX: Final = 200
DESCRIPTION_MAX: Final = 2_000
STARTS: Final = ToolAnnotations(
    read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=True
)
"""Nobody knows what a workflow does; a client does well to ask its user."""


class Offered(Struct, frozen=True):
    """A workflow as a tool. `is_wrapped`: its input is the argument `input`, and not the arguments themselves."""

    tool: Tool
    offer: Offer
    is_wrapped: bool


class _Kept(Struct, frozen=True):
    until: float
    tools: Mapping[str, Offered]

    @property
    def known(self) -> dict[str, Offer]:
        return {each.offer.id: each.offer for each in self.tools.values()}


_NOTHING: Final = _Kept(0.0, {})


class Catalog:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._kept: dict[str, _Kept] = {}
        """By organization, those that were asked for last at the end."""

    async def tools(self, organization: str) -> Mapping[str, Offered]:
        """By their names, in the order of these."""
        kept = self._kept.get(organization, _NOTHING)
        return kept.tools if time.monotonic() < kept.until else await self._look(organization, kept)

    async def find(self, organization: str, name: str) -> Offered | None:
        """Also one that was saved in this very moment."""
        found = (await self.tools(organization)).get(name)
        if found is not None:
            return found
        return (await self._look(organization, self._kept.get(organization, _NOTHING))).get(name)

    async def _look(self, organization: str, before: _Kept) -> Mapping[str, Offered]:
        offers = await self._engine.workflows.offers(organization=organization, most=TOOLS_MAX, known=before.known)
        made = {each.offer.id: each for each in before.tools.values()}
        tools: dict[str, Offered] = {}
        for offer in offers:
            was = made.get(offer.id)
            offered = was if was is not None and was.offer is offer else _offered(offer)
            tools.setdefault(offered.tool.name, offered)
        self._kept.pop(organization, None)
        self._kept[organization] = _Kept(time.monotonic() + TRUSTED_SECONDS, dict(sorted(tools.items())))
        if len(self._kept) > ORGANIZATIONS_MAX:
            del self._kept[next(iter(self._kept))]
        return self._kept[organization].tools


def _offered(offer: Offer) -> Offered:
    schema, is_wrapped = input_schema(offer.input_schema)
    tool = Tool(
        name=tool_name(offer),
        title=offer.name,
        description=_description(offer),
        input_schema=schema,
        annotations=STARTS,
    )
    return Offered(tool, offer, is_wrapped)


def _description(offer: Offer) -> str:
    said = offer.description or f"Starts the workflow {offer.name!r}."
    return said if len(said) <= DESCRIPTION_MAX else f"{said[: DESCRIPTION_MAX - 1]}…"
