"""Which secrets the nodes of a graph are given, by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from perdure.dialects.faults import Faults
from perdure.dialects.graph.document import Node
from perdure.expressions.ready import ready
from perdure.expressions.walk import reads
from perdure.expressions.wording import nearest, shown
from perdure.model.catalog import Catalog
from perdure.model.secrets import SecretInline, SecretOf, SecretSource
from perdure.model.steps import Step, Task
from perdure.model.values import sources


def secrets_of(step: Step, named: Iterable[SecretSource] = ()) -> Iterator[str]:
    """The secrets of the organization that a step gives to its task, by their names there; `named` is what the document calls
    them by.
    """
    known = {source.name: source for source in named}
    if isinstance(step.work, Task):
        for source in sources(step.work.input):
            for path in sorted(reads(ready(source).node)):
                if path[0] == "secrets" and len(path) > 1:
                    match known.get(path[1]):
                        case SecretOf(secret=secret):
                            yield secret
                        case SecretInline():
                            pass
                        case None:
                            yield path[1]


def tell_of_secrets(
    steps: Sequence[Step], nodes: Sequence[Node], named: Sequence[SecretSource], catalog: Catalog, faults: Faults
) -> None:
    """Secrets that nobody has set yet. They may be, before anything runs. Where nobody knows which there are, nothing is said."""
    if catalog.secrets is None:
        return
    path_to = {node.id: node.path for node in nodes}
    for step in steps:
        for name in dict.fromkeys(secrets_of(step, named)):
            if name not in catalog.secrets:
                message = (
                    f"there is no secret {shown(name)}{nearest(name, catalog.secrets) or '; set it before this runs'}"
                )
                faults.warning("unknown_secret", f"{path_to[step.id]}/data", message, step=step.id, ref=name)
