"""What is written into registers has the fields that the golden names hold, and no others."""

from __future__ import annotations

import asyncio
from functools import partial

import msgspec
import pytest

from golden.collection import CARDS
from perdure import Engine
from perdure.store.questions import Questions
from perdure.store.registers import Card

DOCUMENT = {
    "name": "hooked",
    "steps": [
        {
            "stepSlug": "s",
            "stepType": "trigger",
            "order": 1,
            "config": {"type": "webhook"},
            "nextSteps": {"success": "end"},
        }
    ],
}


def _cards(register: str, store: Questions) -> list[Card]:
    return list(store.all_cards(register, ("", ""), 100))


def test_cards_have_the_fields_that_the_golden_names_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERDURE_SECRET_KEY", bytes(range(32)).hex())

    async def cards() -> list[Card]:
        async with Engine("memory://") as engine:
            await engine.members.add("ann", roles=["admin"], email="ann@example.com")
            await engine.keys.create("ann")
            await engine.secrets.set("TOKEN", "a-secret")
            await engine.notifiers.add("log", "log", on=["opened"])
            await engine.connections.add("srv", "https://mcp.example.com/mcp")
            await engine.organizations.add("acme", name="Acme")
            await engine.workflows.save(DOCUMENT)
            hook = (await engine.webhooks.create("hooked", scheme="standard")).webhook
            await engine.webhooks.rotate(hook.id, "token")
            await engine.webhooks.rotate(hook.id, "signing")
            await engine.secrets.rotate()
            return [card for register in CARDS for card in await engine.host.read(partial(_cards, register))]

    written = asyncio.run(cards())

    assert {card.register for card in written} >= {"members", "keys", "secrets", "notifiers", "connections", "webhooks"}
    assert any("until" in card.data for card in written if card.register == "webhooks")
    for card in written:
        fields = {field.encode_name for field in msgspec.structs.fields(CARDS[card.register])}
        assert set(card.data) <= fields, card.register
        assert msgspec.convert(card.data, CARDS[card.register])
