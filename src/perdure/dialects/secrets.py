"""What a document calls secrets by: `{NAME: "ORG_SECRET_NAME" | {kind: "inlineEncrypted", cipherText, keyId?}}`.

A secret in plain text is a problem, and no message shows it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

from perdure.dialects.faults import Faults
from perdure.dialects.fields import Fields
from perdure.expressions.ready import LOWERED_MAX, ready
from perdure.expressions.walk import reads
from perdure.expressions.wording import nearest, shown
from perdure.model import values
from perdure.model.catalog import Catalog
from perdure.model.secrets import CIPHER_TEXT, SecretInline, SecretOf, SecretSource
from perdure.model.steps import Step, Task
from perdure.model.values import Json

NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_CIPHER_TEXT: Final = re.compile(re.escape(CIPHER_TEXT) + r"[0-9a-f]{16}\.[A-Za-z0-9_-]{80}\.[A-Za-z0-9_-]{38,}")
_TOKEN_MIN: Final = 20
_INLINE: Final = "inlineEncrypted"
_WAY_OUT: Final = (
    "name a secret of the organization, or make an encrypted one with `perdure secrets encrypt`; what stood here has to be "
    "changed where it came from, for others have seen it"
)


def sources(given: Fields) -> Iterator[SecretSource]:
    for name, source in given.given.items():
        if not NAME.fullmatch(name):
            given.problem("invalid_name", name, f"{shown(name)} is no name for a secret: use letters, digits and _")
            continue
        found = _source(given, name, source)
        if found is not None:
            yield found


def _source(given: Fields, name: str, source: Json) -> SecretSource | None:
    if isinstance(source, str) and NAME.fullmatch(source) and not _looks_random(source):
        return SecretOf(name, source)
    if not isinstance(source, dict):
        given.problem("plain_secret", name, f"this is not the name of a secret; {_WAY_OUT}")
        return None
    if source.get("kind") != _INLINE:
        given.problem("unknown_kind", name, f"the only kind is {_INLINE!r}: {{kind, cipherText, keyId}}")
        return None
    cipher_text = source.get("cipherText")
    if not isinstance(cipher_text, str) or not _CIPHER_TEXT.fullmatch(cipher_text):
        given.problem("plain_secret", name, f"its cipherText is not one of ours, {CIPHER_TEXT}…; {_WAY_OUT}")
        return None
    return SecretInline(name, cipher_text)


def _looks_random(text: str) -> bool:
    """Nobody calls a secret `ghp_k3J9xQ…`: that is one."""
    kinds = [any(map(is_kind, text)) for is_kind in (str.islower, str.isupper, str.isdigit)]
    return len(text) >= _TOKEN_MIN and all(kinds)


def secrets_of(step: Step, named: Iterable[SecretSource] = (), sealed: Collection[str] = ()) -> Iterator[str]:
    """The secrets of the organization that a step gives to its task, by their names there; `named` is what the document calls
    them by, `sealed` are those that the execution seals itself.
    """
    known = {source.name: source for source in named}
    if isinstance(step.work, Task):
        for source in values.sources(step.work.input):
            for path in sorted(reads(ready(source, LOWERED_MAX).node)):
                if path[0] == "secrets" and len(path) > 1 and path[1] not in sealed:
                    match known.get(path[1]):
                        case SecretOf(secret=secret):
                            yield secret
                        case SecretInline():
                            pass
                        case None:
                            yield path[1]


def tell_of_secrets(
    steps: Sequence[Step],
    paths: Mapping[str, str],
    named: Sequence[SecretSource],
    catalog: Catalog,
    faults: Faults,
    sealed: Collection[str] = (),
) -> None:
    """Secrets that nobody has set yet. They may be, before anything runs. Where nobody knows which there are, nothing is said.
    `paths`: where each step stands in the document.
    """
    if catalog.secrets is None:
        return
    told: set[tuple[str, str]] = set()
    for step in steps:
        own = step.part_of or step.id
        for name in dict.fromkeys(secrets_of(step, named, sealed)):
            if name not in catalog.secrets and (own, name) not in told:
                told.add((own, name))
                message = (
                    f"there is no secret {shown(name)}{nearest(name, catalog.secrets) or '; set it before this runs'}"
                )
                faults.shared_warning("unknown_secret", paths.get(own, ""), message, step=own, ref=name)
