"""200 outputs as real systems write them, each of which begins like one of the secrets and is none of them."""

from __future__ import annotations

from itertools import product
from typing import Final

JWT_HEADER: Final = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"
SECRETS: Final = {
    "slack webhook": "https://hooks.slack.com/services/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",
    "database": "postgresql://app:V3ry-Long-Passw0rd@db.internal.example.com:5432/orders",
    "pem": "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF\n-----END PRIVATE KEY-----\n",
    "openai": "sk-proj-T3BlbkFJx7Qm2Vn9Lk4Rz8Wp1Ys6",
    "github": "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "slack bot": "xoxb-263594206564-FGqddMF8t08v8N7Oq4i57vs1",
    "stripe": "sk_live_4eC39HqLyjWDarjtT1zdp7dc",
    "jwt": f"{JWT_HEADER}.eyJzdWIiOiI5OTg4Nzc2NiIsInNjb3BlIjoiYWRtaW4ifQ.Zk3vX0bQ1nM7sT9yL2pR5wC8dF4hJ6kA",
    "bearer": "Bearer 7f3a9c1e5b8d2046a1c3e5f7",
    "aws": "AKIAIOSFODNN7EXAMPLEKEY0",
}

_URLS: Final = [
    f"{prefix}{path}"
    for prefix, path in product(
        (
            "https://hooks.slack.com/",
            "https://hooks.slack.com/services/",
            "POST https://hooks.slack.com/services/",
            "see https://hooks.slack.com:443/",
        ),
        ("", "help", "T0/B0 is not a webhook", "T02AB9ZZZ/B0/other", "docs?page=2", "T02AB", " (not found)"),
    )
]
_DATABASES: Final = [
    f"postgresql://{rest}"
    for rest in (
        "",
        "app@db.internal.example.com:5432/orders",
        "app:***@db.internal.example.com:5432/orders",
        "db.internal.example.com:5432/orders",
        "app:other@localhost/orders",
        "reader:V3ry@db.internal.example.com/orders",
        "app:V3ry-Different@db/orders",
        "admin@db.internal.example.com",
    )
]
_PEMS: Final = [
    f"-----BEGIN {kind}-----{end}"
    for kind, end in product(
        ("PRIVATE KEY", "PUBLIC KEY", "CERTIFICATE", "EC PRIVATE KEY"),
        (
            "",
            "\n",
            "\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n",
            "\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA",
            "\n(the rest is not shown)",
            "\nMC4CAQAwBQYDK2V",
        ),
    )
]
_TOKENS: Final = [
    f"{said}{token}"
    for said, token in product(
        ("", "invalid key: ", "key ", "the prefix is ", '{"key":"'),
        (
            "sk-",
            "sk-proj-",
            "sk-proj-T3BlbkFJ",
            "sk-proj-T3BlbkFJ0000000000000000000000",
            "sk_live_",
            "sk_live_4eC39H****7dc",
            "sk_test_51H8xKq2eZvKYlo2C0aB9dEfG",
            "ghp_",
            "ghp_16C7e42F0000",
            "gho_16C7e42F292c6912E7710c838347Ae178B4a"[:16],
            "xoxb-",
            "xoxb-2635942",
            "xoxb-263594206564"[:15],
            "AKIA",
            "AKIAIOSFODNN7",
            "AKIAI44QH8DHBEXAMPLE",
            "Bearer ",
            "Bearer 7f3a9c1e5b8",
            "Bearer realm=api",
            "bearer tokens are accepted",
        ),
    )
]
_JWTS: Final = [
    f"{JWT_HEADER}{rest}"
    for rest in (
        "",
        ".",
        ".eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
        ".eyJzdWIiOiI5",
        ".eyJzdWIiOiI5OTg",
        ".eyJzdWIiOiI5OTg0000000000000.x",
        ".eyJpc3MiOiJodHRwczovL2F1dGguZXhhbXBsZS5jb20ifQ.c2lnbmF0dXJl",
    )
]
_PLAIN: Final = [
    f"{word} {number}"
    for word, number in product(
        ("order", "k9Qw8Er7", "T02AB3CDE", "263594206564", "FGqddMF8t08v8N7", "16C7e42F292c691", "4eC39HqLyjWDarj"),
        (12345678.5, 0, 7, 99887766, "times"),
    )
]
OUTPUTS: Final = list(dict.fromkeys([*_URLS, *_DATABASES, *_PEMS, *_TOKENS, *_JWTS, *_PLAIN]))
