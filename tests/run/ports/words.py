"""How the cases are written: steps in few words, and what is to come of them."""

from __future__ import annotations

from typing import Any

from perdure.model.values import Json

Leads = dict[str, Any] | str | None
"""Where a step leads: a port map, or the one step after it."""


def flow(*steps: dict[str, Any], name: str = "case", beside: dict[str, Any] | None = None, **config: Any) -> Json:
    """A stored workflow; steps that do not say their `order` have it from their place."""
    document = {"name": name, **({"config": config} if config else {}), **(beside or {})}
    return {**document, "steps": numbered(*steps)}


def numbered(*steps: dict[str, Any]) -> list[Any]:
    return [{"order": number, **step} for number, step in enumerate(steps, 1)]


def step(slug: str, kind: str, config: Any = None, leads: Leads = None, **beside: Any) -> dict[str, Any]:
    """`beside` is what stands beside its config; a name that it should not have is taken off by `name=None`."""
    told: dict[str, Any] = {"stepSlug": slug, "name": slug.title(), "stepType": kind}
    if config is not None:
        told["config"] = config
    if leads is not None:
        told["nextSteps"] = {"success": leads} if isinstance(leads, str) else leads
    told |= beside
    return {key: value for key, value in told.items() if not (key == "name" and value is None)}


def trigger(leads: Leads = None, slug: str = "start", **config: Any) -> dict[str, Any]:
    return step(slug, "trigger", {"type": "manual", **config}, leads)


def action(slug: str, kind: str, parameters: Any, leads: Leads = None, **beside: Any) -> dict[str, Any]:
    return step(slug, "action", {"type": kind, "parameters": parameters}, leads, **beside)


def echo(slug: str, leads: Leads = None, /, **data: Any) -> dict[str, Any]:
    """Comes to what it is given."""
    return action(slug, "echo", data, leads)


def leaves(slug: str, port: str, leads: Leads = None) -> dict[str, Any]:
    """A task that leaves by a port of its choice."""
    return action(slug, "leave", {"port": port, "data": port}, leads)


def breaks(slug: str = "break", leads: Leads = None, **beside: Any) -> dict[str, Any]:
    return action(slug, "breaks", {"message": "no more stock"}, leads, **beside)


def sets(slug: str, leads: Leads = None, /, **variables: Any) -> dict[str, Any]:
    return action(slug, "set_variables", {"variables": variables}, leads)


def condition(expression: str, slug: str = "gate", leads: Leads = None) -> dict[str, Any]:
    """Leads to `yes` or `no`, unless told."""
    return step(slug, "condition", {"expr": expression}, leads or {"true": "yes", "false": "no"})


def loop(items: Any, leads: Leads = None, slug: str = "each", **config: Any) -> dict[str, Any]:
    return step(slug, "loop", {"items": items, **config}, leads)


def approval(leads: Leads = None, slug: str = "review", **config: Any) -> dict[str, Any]:
    return step(slug, "approval", {"approverRole": "reviewer", "resourceType": "refund", **config}, leads)


def output(slug: str = "result", /, **mapping: Any) -> dict[str, Any]:
    return step(slug, "output", {"mapping": mapping})
