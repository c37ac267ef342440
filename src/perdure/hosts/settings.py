"""What the settings of the environment come to, for those who work by them. `perdure.settings` has the table."""

from __future__ import annotations

import resource
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final

from msgspec import Struct

from perdure.hosts.envelopes import BadKey, Keys, read_keys
from perdure.runtime.tidying import Kept
from perdure.settings import table
from perdure.settings.environment import wrong as wrong_in_the_table
from perdure.settings.setting import AnySetting, BadSetting
from perdure.store.ledger import ANSWERS_MS, TRIGGERS_MS
from perdure.store.port import LEASE_MS
from perdure.tasks.addresses import Allowed
from perdure.tasks.builtin import TaskSettings
from perdure.tasks.llm_input import LlmSettings

RATE_DEFAULT: Final = 60_000
STREAMS_MAX: Final = 500
WAITS_MAX: Final = 500
MEMBER_SHARES: Final = 5
"""By default, a member has this part of the streams and waits of an organization, and all but this part of its rate."""

CONNECTIONS_MAX: Final = 2_000
SESSION_HOURS: Final = 12.0
INTEGRITY_CHECK_MS: Final = 86_400_000


def wrong(environment: Mapping[str, str]) -> dict[str, str]:
    """What cannot be used, all of it: what is wrong, by the name of the setting."""
    found = wrong_in_the_table(environment)
    if table.SECRET_KEY.name not in found:
        try:
            secret_keys(environment)
        except BadSetting as error:
            found[table.SECRET_KEY.name] = str(error)
    return found


def task_settings(environment: Mapping[str, str]) -> TaskSettings:
    return TaskSettings(
        allowed=_allowed(environment),
        smtp_url=table.SMTP.read(environment),
        email_from=table.EMAIL_FROM.read(environment) or "",
        llm=_llm(environment),
        sandbox_processes=table.SANDBOX_PROCESSES.read(environment),
        sandbox_requires_all=table.SANDBOX_REQUIRE.read(environment) == "all",
    )


def _llm(environment: Mapping[str, str]) -> LlmSettings:
    key, model, url = (
        each.read(environment) or "" for each in (table.OPENAI_KEY, table.OPENAI_MODEL, table.OPENAI_URL)
    )
    return LlmSettings(key, model, url)


def _allowed(environment: Mapping[str, str]) -> Allowed | None:
    words = table.ALLOW.read(environment)
    return _allowed_words(words) if words else None


def _allowed_words(words: Sequence[str]) -> Allowed:
    return Allowed([each for each in words if "/" in each], [each for each in words if "/" not in each])


def public_url_of(environment: Mapping[str, str]) -> str:
    """Without a slash at its end; empty, if it is not known."""
    return table.PUBLIC.read(environment) or ""


def lease_ms(environment: Mapping[str, str]) -> int:
    seconds = table.LEASE.read(environment)
    return LEASE_MS if seconds is None else int(seconds * 1_000)


def integrity_check_ms(environment: Mapping[str, str]) -> int:
    """Interval between two integrity checks of a SQLite file."""
    return table.INTEGRITY_CHECK.read(environment) or INTEGRITY_CHECK_MS


def session_ms(environment: Mapping[str, str]) -> int:
    hours = table.SESSION_HOURS.read(environment)
    return max(1, int((SESSION_HOURS if hours is None else hours) * 3_600_000))


class Limits(Struct, frozen=True):
    """What an organization, a member and a key may bring from outside. 0: no maximum."""

    rate_per_minute: int = RATE_DEFAULT
    open_executions_max: int = 0
    member_rate_per_minute: int = 0
    key_rate_per_minute: int = 0
    waits_max: int = WAITS_MAX
    member_waits_max: int = WAITS_MAX
    open_requests_max: int = CONNECTIONS_MAX * 3 // 4


def limits(environment: Mapping[str, str]) -> Limits:
    rate, member_rate = table.RATE.read(environment), table.MEMBER_RATE.read(environment)
    rate = RATE_DEFAULT if rate is None else rate
    member_rate = rate - rate // MEMBER_SHARES if member_rate is None else member_rate
    key_rate, waits = table.KEY_RATE.read(environment), table.WAITS.read(environment)
    waits = _of_organization(environment, WAITS_MAX) if waits is None else waits
    return Limits(
        rate,
        table.OPEN.read(environment) or 0,
        member_rate,
        member_rate if key_rate is None else key_rate,
        waits,
        _of_member(table.MEMBER_WAITS.read(environment), waits),
        open_requests_max(environment),
    )


def member_streams_max(environment: Mapping[str, str]) -> int:
    return _of_member(table.MEMBER_STREAMS.read(environment), streams_max(environment))


def _of_member(given: int | None, organization_max: int) -> int:
    return max(1, organization_max // MEMBER_SHARES) if given is None else given


def open_requests_max(environment: Mapping[str, str]) -> int:
    """Maximum number of streams and waits of all organizations together: a quarter of the connections is for short requests."""
    most = connections_max(environment)
    return most - most // 4


def streams_max(environment: Mapping[str, str]) -> int:
    found = table.STREAMS.read(environment)
    return _of_organization(environment, STREAMS_MAX) if found is None else found


def _of_organization(environment: Mapping[str, str], most: int) -> int:
    """Maximum number of streams, or of waits, of one organization where none is set: of both together half of the connections."""
    return max(1, min(most, connections_max(environment) // 4))


def connections_max(environment: Mapping[str, str]) -> int:
    """Maximum number of connections of a server: as set, but no more than three quarters of the files that this process may open.
    The rest is for the database and for calls.
    """
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return min(_connections_set(environment), files * 3 // 4 if files != resource.RLIM_INFINITY else sys.maxsize)


def _connections_set(environment: Mapping[str, str]) -> int:
    found = table.CONNECTIONS.read(environment)
    return CONNECTIONS_MAX if found is None else found


def allow_files(environment: Mapping[str, str]) -> None:
    """Let this process open as many files as its connections need, as far as the system permits."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = _connections_set(environment) * 4 // 3 + 1
    wanted = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def kept(environment: Mapping[str, str]) -> Kept:
    return Kept(
        table.KEEP_EXECUTIONS.read(environment),
        table.KEEP_EVENTS.read(environment),
        table.KEEP_TRIGGERS.read(environment) or TRIGGERS_MS,
        table.KEEP_ANSWERS.read(environment) or ANSWERS_MS,
    )


def metrics_key(environment: Mapping[str, str]) -> str:
    """Empty: none is set."""
    return table.METRICS_KEY.read(environment) or ""


def metrics_open(environment: Mapping[str, str], *, default: bool) -> bool:
    """Return whether metrics are answered without a key, where none is set."""
    given = table.METRICS_OPEN.read(environment)
    return default if given is None else given


def secret_keys(environment: Mapping[str, str]) -> Keys | None:
    """None: there is none."""
    setting = table.SECRET_KEY
    place, given = setting.place(environment), setting.text(environment)
    if place is None or given is None:
        return None
    name = place if place == setting.name else f"{place} ({environment[place].strip()})"
    try:
        return read_keys(given, name)
    except BadKey as error:
        raise BadSetting(f"{name}: {error}") from error


def given_keys(given: str | None, environment: Mapping[str, str]) -> Keys | None:
    """What a program gives, else what the environment does. An empty text is no key."""
    if given is None:
        return secret_keys(environment)
    return read_keys(given, "secret_keys") if given else None


def allowed_addresses(text: str, setting: AnySetting = table.ALLOW) -> Allowed | None:
    """What an operator writes in this setting."""
    words = setting.read({setting.name: text})
    return _allowed_words(words) if words else None
