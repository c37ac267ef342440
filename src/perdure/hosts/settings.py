"""What the operator decides in the environment of a process; never what an author of workflows writes.

PERDURE_ALLOW_ADDRESSES  what tasks may call beyond the public internet, with commas: `localhost:8080,10.1.0.0/16`
OPENAI_API_KEY           what language models are asked with, at any provider that speaks the protocol of OpenAI
OPENAI_MODEL             which model is asked
OPENAI_BASE_URL          where, if it is not https://api.openai.com/v1; it may be any address
SMTP_URL                 how mail is sent: smtp://user:password@host:587
PERDURE_EMAIL_FROM       who it is from
PERDURE_PUBLIC_URL       where people reach the page: what links to approvals begin with
PERDURE_SECRET_KEY       what secrets are encrypted with: 32 bytes as base64 or hex, `perdure secrets new-key` makes one. Several
                         with commas: the first is current, the others only open. Without a key, what needs a secret fails, and
                         there are no links to approvals, which are signed with a key that is derived from it
PERDURE_SECRET_KEY_FILE  a file that has it, instead
PERDURE_SANDBOX_PROCESSES  how many transforms run at once, at least 2: one more than there are cores, unless it is said
PERDURE_SANDBOX_REQUIRE  `all`: no transform runs in a process that could not lock itself in fully
PERDURE_RATE_PER_MINUTE  so many starts and events an organization may bring from outside in a minute, to each process (60000);
                         0: as many as it likes
PERDURE_OPEN_EXECUTIONS_MAX  with so many open executions, an organization can start no more from outside (0: there is no most)
PERDURE_STREAMS_MAX      how many may listen to what happens in one organization, in one process (500)
PERDURE_SESSION_HOURS    how long somebody who has signed in with a browser stays so, at most (12)
PERDURE_OIDC_ISSUER      whose word is taken for who somebody is: a provider of OpenID Connect, https://id.example.com; with it
                         PERDURE_OIDC_CLIENT_ID and PERDURE_OIDC_CLIENT_SECRET (or _FILE). The other PERDURE_OIDC_… are in
                         docs/how-to-sign-in.md, and read in service/oidc/settings.py
PERDURE_METRICS_KEY      what whoever asks for /metrics has to send, as Authorization: Bearer …; without it, anybody may ask
OTEL_*                   tracing, as the SDK of OpenTelemetry reads them; off, unless OTEL_EXPORTER_OTLP_ENDPOINT or
                         OTEL_TRACES_EXPORTER is set
PERDURE_LOG_FORMAT       how `dev`, `serve` and `worker` log: text or json
PERDURE_LOG_LEVEL        from which level on: debug, info, warning (which it is, unless it is set) or error
PERDURE_LEASE_SECONDS    on Postgres: after so many seconds without a sign of it, others take over what a worker had (10)
"""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_network
from pathlib import Path

from msgspec import Struct

from perdure.errors import PerdureError
from perdure.hosts.envelopes import MAKE_ONE, BadKey, Keys, read_keys
from perdure.store.port import LEASE_MS
from perdure.tasks.addresses import ALLOW, Allowed
from perdure.tasks.builtin import TaskSettings
from perdure.tasks.llm_input import LlmSettings
from perdure.tasks.sandbox.children import REQUIRE

METRICS_KEY = "PERDURE_METRICS_KEY"
LEASE = "PERDURE_LEASE_SECONDS"
PUBLIC = "PERDURE_PUBLIC_URL"
SANDBOX = "PERDURE_SANDBOX_PROCESSES"
RATE, OPEN = "PERDURE_RATE_PER_MINUTE", "PERDURE_OPEN_EXECUTIONS_MAX"
RATE_DEFAULT = 60_000
NUMBER_MAX = 1_000_000_000
KEY, KEY_FILE = "PERDURE_SECRET_KEY", "PERDURE_SECRET_KEY_FILE"
SANDBOX_PROCESSES_MIN, SANDBOX_PROCESSES_MAX = 2, 256
STREAMS, STREAMS_MAX, STREAMS_DIGITS = "PERDURE_STREAMS_MAX", 500, 9
SESSION, SESSION_HOURS, SESSION_HOURS_MAX = "PERDURE_SESSION_HOURS", 12.0, 24.0 * 365
LEASE_SECONDS_MIN, LEASE_SECONDS_MAX = 1.0, 3_600.0


class BadSetting(PerdureError):
    """A setting of the environment cannot be read; the message names it and shows one that can."""


def task_settings(environment: Mapping[str, str]) -> TaskSettings:
    return TaskSettings(
        allowed=allowed_addresses(environment.get(ALLOW, "")),
        smtp_url=environment.get("SMTP_URL") or None,
        email_from=environment.get("PERDURE_EMAIL_FROM", ""),
        llm=_llm(environment),
        sandbox_processes=_sandbox_processes(environment),
        sandbox_requires_all=_sandbox_requires_all(environment),
    )


def _llm(environment: Mapping[str, str]) -> LlmSettings:
    names = ("OPENAI_API_KEY", "OPENAI_MODEL", "OPENAI_BASE_URL")
    key, model, url = (environment.get(name, "").strip() for name in names)
    if url and not url.startswith(("http://", "https://")):
        raise BadSetting(f"OPENAI_BASE_URL is {url!r}; write a URL like http://localhost:11434/v1")
    return LlmSettings(key, model, url)


def _sandbox_processes(environment: Mapping[str, str]) -> int | None:
    given = environment.get(SANDBOX, "").strip()
    if not given:
        return None
    if not given.isdecimal() or not SANDBOX_PROCESSES_MIN <= int(given) <= SANDBOX_PROCESSES_MAX:
        allowed = f"from {SANDBOX_PROCESSES_MIN} to {SANDBOX_PROCESSES_MAX}"
        raise BadSetting(f"{SANDBOX} is {given!r}; write a whole number {allowed}")
    return int(given)


def _sandbox_requires_all(environment: Mapping[str, str]) -> bool:
    given = environment.get(REQUIRE, "").strip()
    if given not in ("", "all"):
        raise BadSetting(f"{REQUIRE} is {given!r}; write all, or unset it")
    return given == "all"


def public_url(environment: Mapping[str, str]) -> str:
    """Without a slash at its end; empty, if it is not known."""
    given = environment.get(PUBLIC, "").strip().rstrip("/")
    if given and not given.startswith(("http://", "https://")):
        raise BadSetting(f"{PUBLIC} is {given!r}; write a URL like https://flows.example.com")
    return given


def lease_ms(environment: Mapping[str, str]) -> int:
    given = environment.get(LEASE)
    try:
        seconds = LEASE_MS / 1_000 if not given else float(given)
    except ValueError:
        seconds = 0.0
    if not LEASE_SECONDS_MIN <= seconds <= LEASE_SECONDS_MAX:
        raise BadSetting(f"{LEASE} is {given!r}; write seconds, from {LEASE_SECONDS_MIN:g} to {LEASE_SECONDS_MAX:g}")
    return int(seconds * 1_000)


def session_ms(environment: Mapping[str, str]) -> int:
    given = environment.get(SESSION, "").strip()
    try:
        hours = float(given) if given else SESSION_HOURS
    except ValueError:
        hours = 0.0
    if not 0 < hours <= SESSION_HOURS_MAX:
        raise BadSetting(f"{SESSION} is {given!r}; write hours, as {SESSION_HOURS:g}, at most {SESSION_HOURS_MAX:g}")
    return max(1, int(hours * 3_600_000))


class Limits(Struct, frozen=True):
    """What an organization may bring from outside. 0: as much as it likes."""

    rate_per_minute: int = RATE_DEFAULT
    open_executions_max: int = 0


def limits(environment: Mapping[str, str]) -> Limits:
    return Limits(_number(environment, RATE, RATE_DEFAULT), _number(environment, OPEN, 0))


def _number(environment: Mapping[str, str], name: str, default: int) -> int:
    given = environment.get(name, "").strip()
    if not given:
        return default
    if not (given.isascii() and given.isdecimal()) or int(given) > NUMBER_MAX:
        raise BadSetting(f"{name} is {given!r}; write a whole number, or 0 for no limit")
    return int(given)


def streams_max(environment: Mapping[str, str]) -> int:
    given = environment.get(STREAMS, "").strip()
    if given and not (given.isascii() and given.isdecimal() and len(given) < STREAMS_DIGITS):
        raise BadSetting(f"{STREAMS} is {given!r}; write a whole number, as {STREAMS_MAX}")
    return int(given) if given else STREAMS_MAX


def metrics_key(environment: Mapping[str, str]) -> str:
    """Empty: none is asked for."""
    return environment.get(METRICS_KEY, "").strip()


def secret_keys(environment: Mapping[str, str]) -> Keys | None:
    """None: there is none."""
    given, file = environment.get(KEY, "").strip(), environment.get(KEY_FILE, "").strip()
    if given and file:
        raise BadSetting(f"{KEY} and {KEY_FILE} are both set; which one is meant? unset the other")
    name = KEY
    if file:
        name = f"{KEY_FILE} ({file})"
        try:
            given = Path(file).read_text(encoding="ascii")
        except UnicodeDecodeError as error:
            raise BadSetting(f"{name} is not text: write the key as base64 or hex; {MAKE_ONE}") from error
        except OSError as error:
            raise BadSetting(f"{name} cannot be read: {error.strerror}") from error
    try:
        return read_keys(given, name) if given or file else None
    except BadKey as error:
        raise BadSetting(f"{name}: {error}") from error


def given_keys(given: str | None, environment: Mapping[str, str]) -> Keys | None:
    """What a program gives, else what the environment does. An empty text is no key."""
    if given is None:
        return secret_keys(environment)
    return read_keys(given, "secret_keys") if given else None


def allowed_addresses(text: str, name: str = ALLOW) -> Allowed | None:
    """What an operator writes in the setting of this name."""
    words = [word.strip() for word in text.split(",") if word.strip()]
    networks = [word for word in words if "/" in word]
    for network in networks:
        try:
            ip_network(network)
        except ValueError as error:
            raise BadSetting(f"{name}: {error}; write networks like 10.1.0.0/16, hosts like localhost:8080") from error
    return Allowed(networks, [word for word in words if "/" not in word]) if words else None
