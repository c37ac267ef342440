"""`perdure secrets`: set, listed, removed; their key changed. Never shown."""

from __future__ import annotations

import sys
from typing import Annotated

from cyclopts import Parameter

from perdure.answers.organizations import secret_answer
from perdure.cli.database import chosen as chosen_url
from perdure.cli.engines import asked, chosen, is_remote, looking
from perdure.cli.groups import group
from perdure.cli.hints import hint
from perdure.cli.options import AsEditor, AsJson, Cursor, DatabaseUrl, Limit, Organization
from perdure.cli.pages import tell_page, tell_removed
from perdure.cli.saying import print_json, refusal
from perdure.cli.typed import ValueFrom, secret_text
from perdure.cli.where import HERE, Where
from perdure.cli.wording import many, printable
from perdure.service.engine import Engine
from perdure.service.paging import Page
from perdure.service.secrets import Rotated, Secret
from perdure.service.times import local_time
from perdure.tasks.disguises import LENGTH_MIN

SECRETS = group("secrets", "Set secrets, list and remove them, and change the key that they are encrypted with.")

NO_KEYS = ""
"""Names are no secret: for what only looks at them, no key is needed, and the wrong one is no harm."""

NOWHERE = "sqlite:///nowhere"
"""An engine that is not started opens nothing; one in memory would make a key of its own."""

_Name = Annotated[str, Parameter(name="NAME", help="what workflows call it by: secrets.NAME")]
_Admin = Annotated[
    str | None,
    Parameter(name="--as", metavar="MEMBER", help="who acts: an admin of all organizations (default: the program)"),
]
_Value = Annotated[
    str | None,
    Parameter(
        name="--value",
        metavar="TEXT",
        allow_leading_hyphen=True,
        help="the value itself; others on this machine can see what you type",
    ),
]


@SECRETS.command(name="set")
def set_(
    name: _Name,
    /,
    *,
    value_from: ValueFrom = None,
    value: _Value = None,
    as_: AsEditor = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """Encrypt a value and keep it, in place of what was there. It is asked for, without an echo, or read from stdin or a file.

    Example: perdure secrets set STRIPE_KEY --db sqlite:///flows.db

    Example: pass show stripe | perdure secrets set STRIPE_KEY --value-from - --db sqlite:///flows.db
    """
    engine = chosen(where, new=True)
    if not is_remote(engine):
        engine.secrets.keys()  # before anybody types
    given = _given(value, value_from, name)

    async def keep(running: Engine) -> Secret:
        return await running.secrets.set(name, given, organization=organization, actor=as_)

    kept = asked(engine, keep)
    if json:
        print_json(secret_answer(kept))
    else:
        print(f"{kept.name} is set, encrypted with key {kept.key_id}; workflows use it as {_forms(kept.name)}")
    return 0


def _forms(name: str) -> str:
    """How the dialects write it."""
    return f"{{{{ secrets.{name} }}}} (ports, graph), ${{secrets.{name}}} (orchestration) or @secrets.{name} (phases)"


@SECRETS.command(name="list")
def list_(
    *,
    limit: Limit = 50,
    cursor: Cursor = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """Their names, when each was set and with which key it is encrypted. Never their values.

    Example: perdure secrets list --db sqlite:///flows.db
    """

    async def ask(engine: Engine) -> Page[Secret]:
        return await engine.secrets.list(organization=organization, limit=limit, cursor=cursor)

    page = looking(where, ask, secret_keys=NO_KEYS)
    empty = f"there are no secrets; {hint('secrets', 'set', 'NAME', where=where, organization=organization)} sets one"
    return tell_page(page, ("NAME", "SET", "KEY", "BY"), _row, secret_answer, empty=empty, as_json=json)


@SECRETS.command(name="remove")
def remove(
    name: _Name,
    /,
    *,
    as_: AsEditor = None,
    organization: Organization = "default",
    where: Where = HERE,
    json: AsJson = False,
) -> int:
    """Forget a secret. Steps that need it fail from now on.

    Example: perdure secrets remove STRIPE_KEY --db sqlite:///flows.db
    """

    async def forget(engine: Engine) -> None:
        await engine.secrets.remove(name, organization=organization, actor=as_)

    looking(where, forget, secret_keys=NO_KEYS)
    return tell_removed(name, "is removed", as_json=json, named="name")


@SECRETS.command(name="rotate")
def rotate(*, as_: _Admin = None, db: DatabaseUrl = None, json: AsJson = False) -> int:
    """Encrypt all of them with the current key, the first of PERDURE_SECRET_KEY; of all organizations. Cut off, run it again.

    To change the key: start all workers with OLD,NEW, then with NEW,OLD; run this; then NEW alone is enough.

    Example: PERDURE_SECRET_KEY=NEW,OLD perdure secrets rotate --db sqlite:///flows.db
    """

    async def wrap(engine: Engine) -> Rotated:
        return await engine.secrets.rotate(actor=as_)

    done = looking(Where(db=chosen_url(db)), wrap)
    if json:
        failed = [{"organization": whose, "id": id_, "reason": why} for whose, id_, why in done.failed]
        print_json({"keyId": done.key_id, "rotated": done.rotated, "current": done.current, "failed": failed})
    else:
        print(f"{many(done.rotated, 'secret')} encrypted with key {done.key_id} now; {done.current:,} had been before")
        for whose, id_, why in done.failed:
            print(printable(f"{id_} of organization {whose}: {why}"))
    return 1 if done.failed else 0


@SECRETS.command(name="new-key")
def new_key_(*, json: AsJson = False) -> int:
    """Make a key for PERDURE_SECRET_KEY. It is nowhere but in what is printed: whoever loses it loses all secrets.

    Example: perdure secrets new-key > perdure.key && export PERDURE_SECRET_KEY_FILE=$PWD/perdure.key
    """
    from perdure.hosts.envelopes import new_key, read_keys  # noqa: PLC0415

    key = new_key()
    if json:
        print_json({"key": key, "keyId": read_keys(key).current})
    else:
        print(key)
    return 0


@SECRETS.command(name="encrypt")
def encrypt(
    name: _Name,
    /,
    *,
    value_from: ValueFrom = None,
    value: _Value = None,
    organization: Organization = "default",
    json: AsJson = False,
) -> int:
    """Encrypt a value for a document, where it stands as settings.secrets.NAME. Nothing is kept.

    Example: perdure secrets encrypt STRIPE_KEY --value-from key.txt
    """
    del json  # it is JSON either way
    engine = Engine(NOWHERE)
    engine.secrets.keys()  # before anybody types
    given = _given(value, value_from, name)
    print_json(engine.secrets.encrypt(name, given, organization=organization))
    return 0


def _given(value: str | None, value_from: str | None, name: str) -> str:
    if value is not None and value_from is not None:
        raise refusal("invalid_option", "--value and --value-from: give one of them")
    given = value if value is not None else secret_text(value_from, f"the value of {name}")
    if 0 < len(given) < LENGTH_MIN:
        print(
            f"warning: {name} has fewer than {LENGTH_MIN} characters: in what comes back it is hidden only where "
            "it stands alone; a longer one is safer",
            file=sys.stderr,
        )
    return given


def _row(each: Secret) -> tuple[str, ...]:
    return (each.name, local_time(each.set_at), each.key_id, each.set_by)
