"""All that can be set: one line each. `docs/settings.md` and `perdure settings` are made of it; what is not in it is not read."""

from __future__ import annotations

from typing import Final

from perdure.settings.kinds import Duration, Flag, Hours, Numbers, OneOf, Places, Seconds, Secret, Text, Url, Whole
from perdure.settings.setting import AnySetting, Setting

DATABASE: Final = Setting(
    "PERDURE_DATABASE_URL",
    Secret(),
    "the database, sqlite:///path or postgresql://user@host/database; --db comes first",
    in_file=True,
    instead="DATABASE_URL",
)
PUBLIC: Final = Setting(
    "PERDURE_PUBLIC_URL",
    Url("https://flows.example.com"),
    "where people reach the server: what links begin with",
    "of dev and serve the address that they listen on; none, if that is every address",
    in_file=True,
)
SERVER: Final = Setting(
    "PERDURE_SERVER_URL",
    Text(),
    "a server that commands ask instead of a database, and `Client()`; --server comes first",
)
KEY: Final = Setting(
    "PERDURE_KEY", Secret(), "what that server is asked with; --key and --key-file come first", in_file=True
)

SECRET_KEY: Final = Setting(
    "PERDURE_SECRET_KEY",
    Secret(),
    "what secrets are encrypted with: 32 bytes as base64 or hex, `perdure secrets new-key` makes one; several with commas, the "
    "first of which is current",
    "none: what needs a secret fails, and there are no links to approvals, which are signed with a key that is derived from it",
    in_file=True,
)
ALLOW: Final = Setting(
    "PERDURE_ALLOW_ADDRESSES",
    Places(),
    "what tasks may call beyond the public internet, with commas: `localhost:8080,10.1.0.0/16`",
    "nothing",
)
SANDBOX_PROCESSES: Final = Setting(
    "PERDURE_SANDBOX_PROCESSES", Whole(2, 256), "how many transforms run at once", "one more than there are cores"
)
SANDBOX_REQUIRE: Final = Setting(
    "PERDURE_SANDBOX_REQUIRE",
    OneOf(("all",)),
    "`all`: no transform runs in a process that could not lock itself in fully",
    "as much as the machine has",
)
NOTIFIER: Final = Setting(
    "PERDURE_NOTIFIER_",
    Secret(),
    "what notifiers sign with, under a name of one's own: `env:PERDURE_NOTIFIER_DESK`",
    family=True,
)

OPENAI_KEY: Final = Setting(
    "OPENAI_API_KEY",
    Secret(),
    "what language models are asked with, at any provider that speaks the protocol of OpenAI",
    in_file=True,
)
OPENAI_MODEL: Final = Setting("OPENAI_MODEL", Text(), "which model is asked")
OPENAI_URL: Final = Setting(
    "OPENAI_BASE_URL", Url("http://localhost:11434/v1"), "where; it may be any address", "https://api.openai.com/v1"
)
SMTP: Final = Setting("SMTP_URL", Secret(), "how mail is sent: smtp://user:password@host:587", in_file=True)
EMAIL_FROM: Final = Setting("PERDURE_EMAIL_FROM", Text(), "who mail is from")

RATE: Final = Setting(
    "PERDURE_RATE_PER_MINUTE",
    Whole(no_limit=True),
    "so many starts and events an organization may bring from outside in a minute, to each process; 0: as many as it likes",
    "60000",
)
OPEN: Final = Setting(
    "PERDURE_OPEN_EXECUTIONS_MAX",
    Whole(no_limit=True),
    "with so many open executions, an organization can start no more from outside; 0: there is no most",
    "0",
)
MEMBER_RATE: Final = Setting(
    "PERDURE_MEMBER_RATE_PER_MINUTE",
    Whole(no_limit=True),
    "maximum number of starts and events of one member in a minute, to each process; 0: no maximum of its own",
    "four fifths of PERDURE_RATE_PER_MINUTE",
)
KEY_RATE: Final = Setting(
    "PERDURE_KEY_RATE_PER_MINUTE",
    Whole(no_limit=True),
    "maximum number of starts and events with one key in a minute, to each process; 0: no maximum of its own",
    "as PERDURE_MEMBER_RATE_PER_MINUTE",
)
STREAMS: Final = Setting(
    "PERDURE_STREAMS_MAX",
    Whole(0, 99_999_999),
    "how many may listen to what happens in one organization, in one process",
    "500, or a quarter of the connections if that is less",
)
MEMBER_STREAMS: Final = Setting(
    "PERDURE_MEMBER_STREAMS_MAX",
    Whole(0, 99_999_999),
    "maximum number of live streams of one member, in one process",
    "a fifth of PERDURE_STREAMS_MAX",
)
WAITS: Final = Setting(
    "PERDURE_WAITS_MAX",
    Whole(0, 99_999_999),
    "maximum number of requests of one organization that wait for an execution (`?wait=`, MCP), in one process",
    "500, or a quarter of the connections if that is less",
)
MEMBER_WAITS: Final = Setting(
    "PERDURE_MEMBER_WAITS_MAX",
    Whole(0, 99_999_999),
    "maximum number of those requests of one member",
    "a fifth of PERDURE_WAITS_MAX",
)
CONNECTIONS: Final = Setting(
    "PERDURE_CONNECTIONS_MAX",
    Whole(1, 99_999_999),
    "how many may be connected to a server; never more than three quarters of the files that it may open",
    "2000",
)
LEASE: Final = Setting(
    "PERDURE_LEASE_SECONDS",
    Seconds(1, 3_600),
    "on Postgres: after so many seconds without a sign of it, others take over what a worker had",
    "10",
)

KEEP_EXECUTIONS: Final = Setting(
    "PERDURE_KEEP_EXECUTIONS",
    Duration(),
    "how long executions are kept after their end, with all that belongs to them",
    "for ever",
)
KEEP_EVENTS: Final = Setting(
    "PERDURE_KEEP_EVENTS",
    Duration(),
    "how long events are kept, also where a live execution could still look back to them",
    "as PERDURE_KEEP_EXECUTIONS, and as long as somebody can look back to them",
)
KEEP_TRIGGERS: Final = Setting("PERDURE_KEEP_TRIGGERS", Duration(), "how long the log of triggers is kept", "2w")
KEEP_ANSWERS: Final = Setting(
    "PERDURE_KEEP_ANSWERS", Duration("5m"), "how long the answer to a request with an Idempotency-Key is kept", "1d"
)
INTEGRITY_CHECK: Final = Setting(
    "PERDURE_INTEGRITY_CHECK",
    Duration("1s"),
    "interval between two background integrity checks of a SQLite file",
    "1d",
)

HANDED_OVER: Final = Setting("PERDURE_HANDED_OVER", Numbers(2), "what a server gives to the one that follows it")
LISTEN_FDS: Final = Setting("LISTEN_FDS", Whole(), "how many sockets systemd gives")
LISTEN_PID: Final = Setting("LISTEN_PID", Whole(), "to which process")
NOTIFY_SOCKET: Final = Setting("NOTIFY_SOCKET", Text(), "where systemd wants to be told that a server is ready")

LOG_FORMAT: Final = Setting(
    "PERDURE_LOG_FORMAT",
    OneOf(("text", "json")),
    "how `dev`, `serve` and `worker` log: text, for people, or json, for programs",
    "text",
)
LOG_LEVEL: Final = Setting(
    "PERDURE_LOG_LEVEL", OneOf(("debug", "info", "warning", "error")), "from which level on", "warning"
)
METRICS_KEY: Final = Setting(
    "PERDURE_METRICS_KEY",
    Secret(),
    "bearer token that requests for /metrics must send in the Authorization header",
    "none",
    in_file=True,
)
METRICS_OPEN: Final = Setting(
    "PERDURE_METRICS_OPEN",
    Flag(),
    "whether /metrics is answered without a key, where PERDURE_METRICS_KEY is not set",
    "0; 1 for `perdure dev`",
)

SESSION_HOURS: Final = Setting(
    "PERDURE_SESSION_HOURS",
    Hours(24 * 365, 12),
    "how long somebody who has signed in with a browser stays so, at most",
    "12",
)
OIDC_ISSUER: Final = Setting(
    "PERDURE_OIDC_ISSUER",
    Text(),
    "whose word is taken for who somebody is: a provider of OpenID Connect, as https://id.example.com",
    "nobody signs in so",
)
OIDC_CLIENT_ID: Final = Setting("PERDURE_OIDC_CLIENT_ID", Text(), "what this server is called there")
OIDC_SECRET: Final = Setting("PERDURE_OIDC_CLIENT_SECRET", Secret(), "and what it proves that with", in_file=True)
OIDC_ORGANIZATION: Final = Setting(
    "PERDURE_OIDC_ORGANIZATION", Text(), "to which those who sign in so belong", "default"
)
OIDC_CREATE: Final = Setting(
    "PERDURE_OIDC_CREATE", Text(), "the role with which somebody is made a member who is none", "they are refused"
)
OIDC_GROUPS: Final = Setting(
    "PERDURE_OIDC_GROUPS_CLAIM",
    Text(),
    "the claim of the ID token that has the groups of the member, which it sets at each sign-in",
)
OIDC_SCOPES: Final = Setting(
    "PERDURE_OIDC_SCOPES", Text(), "what is asked for, with blanks between", "openid email profile"
)
OIDC_ADDRESSES: Final = Setting(
    "PERDURE_OIDC_ALLOW_ADDRESSES",
    Places(),
    "where the provider may be beyond the public internet, as in PERDURE_ALLOW_ADDRESSES",
    "nowhere",
)

OTEL: Final = Setting(
    "OTEL_",
    Text(),
    "tracing, as the SDK of OpenTelemetry reads them; off, unless OTEL_EXPORTER_OTLP_ENDPOINT or OTEL_TRACES_EXPORTER is set",
    family=True,
)

TABLE: Final[dict[str, tuple[AnySetting, ...]]] = {
    "Where": (DATABASE, PUBLIC, SERVER, KEY),
    "Secrets, and what may be reached": (SECRET_KEY, ALLOW, SANDBOX_PROCESSES, SANDBOX_REQUIRE, NOTIFIER),
    "Models and mail": (OPENAI_KEY, OPENAI_MODEL, OPENAI_URL, SMTP, EMAIL_FROM),
    "Limits": (
        *(RATE, MEMBER_RATE, KEY_RATE, OPEN, STREAMS, MEMBER_STREAMS, WAITS, MEMBER_WAITS),
        *(CONNECTIONS, LEASE),
    ),
    "How long things are kept": (KEEP_EXECUTIONS, KEEP_EVENTS, KEEP_TRIGGERS, KEEP_ANSWERS),
    "Signing in": (
        *(SESSION_HOURS, OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_SECRET, OIDC_ORGANIZATION, OIDC_CREATE),
        *(OIDC_GROUPS, OIDC_SCOPES, OIDC_ADDRESSES),
    ),
    "Logs, metrics and traces": (LOG_FORMAT, LOG_LEVEL, METRICS_KEY, METRICS_OPEN, OTEL, INTEGRITY_CHECK),
    "Set by whoever starts a server, and by nobody else": (HANDED_OVER, LISTEN_FDS, LISTEN_PID, NOTIFY_SOCKET),
}
"""By heading."""

SETTINGS: Final = tuple(setting for settings in TABLE.values() for setting in settings)
