"""Hosts that secrets were filled into: no message about the call names them, in whatever spelling."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perdure.model.failure import Category, Failure
from perdure.service.errors import ExecutionFailed
from perdure.tasks.disguises import Disguises
from perdure.tasks.host_names import HostNames, canonical, filled_host, host_of
from perdure.tasks.redaction import Redactor, hiding
from perdure.tasks.sealed import filled
from tasks.servers import Reply, http_server
from vault.words import calling, engine, run

RUN = "eo7x2k9q4m1z8w5v3b6n"

FORMS = [
    (f"https://{RUN}.hooks.invalid/in", "{{secrets.HOOK}}", f"{RUN}.hooks.invalid"),
    (f"https://{RUN.upper()}.Hooks.invalid/in", "{{secrets.HOOK}}", f"{RUN}.hooks.invalid"),
    ("https://EO7x2k9Q4m1z.hooks.invalid", "{{secrets.HOOK}}/in", "eo7x2k9q4m1z.hooks.invalid"),
    (f"{RUN}.hooks.invalid:8443", "https://{{secrets.HOOK}}/x", f"{RUN}.hooks.invalid"),
    (f"{RUN}.hooks.invalid/v1", "https://{{secrets.HOOK}}", f"{RUN}.hooks.invalid"),
    ("Tenant-Key-0815.hooks.invalid/v1", "https://{{secrets.HOOK}}", "tenant-key-0815.hooks.invalid"),
    ("Ab1", "https://{{secrets.HOOK}}x.hooks.invalid/", "ab1x.hooks.invalid"),
    ("Acme_Inc 7", "https://{{secrets.HOOK}}.hooks.invalid/", "acme_inc%207.hooks.invalid"),
    ("a%62c", "https://{{secrets.HOOK}}.hooks.invalid/", "a%62c.hooks.invalid"),
    ("Bücher", "https://{{secrets.HOOK}}.hooks.invalid/", "xn--bcher-kva.hooks.invalid"),
    ("\uff26ull\uff37idth", "https://{{secrets.HOOK}}.hooks.invalid/", "\uff26ull\uff37idth.hooks.invalid"),
    ("10.1.2.3", "http://{{secrets.HOOK}}/", "10.1.2.3"),
    ("2001:DB8:0::00FF", "http://[{{secrets.HOOK}}]/", "2001:db8::ff"),
    ("fd00:0:0:0::00FF", "http://[{{secrets.HOOK}}]/", "fd00::ff"),
    ("0", "http://[fd00::{{secrets.HOOK}}0ff]/", "fd00::ff"),
    ("2130706433", "http://{{secrets.HOOK}}/", "2130706433"),
]


@pytest.mark.parametrize(("secret", "endpoint", "host"), FORMS, ids=[form[0] for form in FORMS])
def test_no_message_names_the_host_of_a_call(secret: str, endpoint: str, host: str) -> None:
    async def scenario() -> None:
        async with engine("memory://") as used:
            await used.secrets.set("HOOK", secret)
            data = {"endpoint": endpoint, "variableName": "o"}
            execution = await used.executions.start(calling(data, type_="HTTP_REQUEST"), {})
            with pytest.raises(ExecutionFailed) as failed:
                await execution.result()
            failure = failed.value.failure
            assert failure is not None
            told = f"{failure.message} {failure.details}"
            for name in (host, secret, f"{RUN}", ".hooks.invalid"):
                assert len(name) < 4 or name.lower() not in told.lower()

    run(scenario())


def test_a_redirect_that_is_not_followed_does_not_name_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERDURE_ALLOW_ADDRESSES", "127.0.0.1")

    async def scenario(port: int) -> None:
        async with engine("memory://") as used:
            await used.secrets.set("HOOK", f"http://127.0.0.1:{port}/in")
            data = {"endpoint": "{{secrets.HOOK}}", "variableName": "o", "failOnError": True}
            execution = await used.executions.start(calling(data, type_="HTTP_REQUEST"), {})
            with pytest.raises(ExecutionFailed) as failed:
                await execution.result()
            failure = failed.value.failure
            assert failure is not None
            assert "was answered with 302" in failure.message
            assert "127.0.0.1" not in f"{failure.message} {failure.details}"

    with http_server(lambda _: Reply(302, {"location": "http://127.0.0.1/login"})) as server:
        run(scenario(server.port))


def test_the_place_of_a_secret_decides() -> None:
    secret = {"secret": "X"}
    table: list[tuple[list[str | dict[str, str]], str | None]] = [
        (["https://", secret, "x.example.com:8443/in"], "abx.example.com"),
        (["https://api.example.com/", secret], None),
        (["https://api.example.com?key=", secret], None),
        (["https://user:", secret, "@api.example.com/"], None),
        (["https://user@", secret, ".example.com/"], "ab.example.com"),
        (["https://api.example.com:", secret], "api.example.com:ab"),
        (["Bearer ", secret], None),
        ([secret, ".example.com/v1"], "ab.example.com"),
        (["https://", {"secret": "EMPTY"}, "api.example.com/"], None),
    ]
    for parts, host in table:
        values = {"X": Disguises("ab"), "EMPTY": Disguises("")}
        pieces = [(part, False) if isinstance(part, str) else (values[part["secret"]].value, True) for part in parts]
        assert filled_host(pieces) == host
        full = filled("***", {"": parts}, values)
        assert host is None or full.redactor.host(host) == "***"
        assert full.redactor.host("api.example.org") == "api.example.org"


def test_a_host_is_hidden_in_messages_and_in_the_details_of_a_failure() -> None:
    redactor = Redactor((), (), ["Api.Example.com", "ab", "test"]).beside(Redactor((), (), ["[2001:DB8::1]"]))
    assert redactor.text("https://api.example.com/ ab test api.example.com.") == "https://***/ ab test ***."
    assert redactor.text("at 2001:db8::1, not at api.example.community") == "at ***, not at api.example.community"
    assert redactor.value({"help": "https://api.example.com/"}) == {"help": "https://api.example.com/"}
    details = {"headers": {"location": "https://api.example.com/x"}, "n": [1, "api.example.com"], "api.example.com": 0}
    failure = redactor.failure(Failure("it failed", category=Category.TRANSIENT, details=details))
    assert failure.details == {"headers": {"location": "https://***/x"}, "n": [1, "***"], "***": 0}
    assert redactor.host("ab") == redactor.host("[2001:db8:0::1]") == "***"
    assert "example" not in repr(HostNames(["api.example.com"]))
    with hiding(redactor):
        assert redactor.host("other.example.com") == "other.example.com"


@pytest.mark.parametrize(
    ("secret", "host"),
    [
        ("https://Tenant-Key-0815.example.com/x", "tenant-key-0815.example.com"),
        ("Tenant-Key-0815.example.com:8443", "tenant-key-0815.example.com"),
        ("Tenant-Key-0815.example.com/v1", "tenant-key-0815.example.com"),
        ("2001:DB8:0::0012", "2001:db8::12"),
        ("postgresql://app:Passw0rd@Db.example.com:5432/orders", "db.example.com"),
    ],
)
def test_a_host_that_a_task_takes_from_a_secret_is_hidden_too(secret: str, host: str) -> None:
    assert Redactor([Disguises(secret)]).host(host) == "***"
    assert Redactor([Disguises(secret)]).host(f"other.{host.replace(':', '.')}") != "***"


def test_a_long_run_in_the_host_of_a_secret_is_hidden_in_values_too() -> None:
    redactor = Redactor([Disguises(f"https://{RUN.upper()}.example.com/short")])
    assert redactor.value({"at": f"{RUN}.example.com", "b": RUN.upper()}) == {"at": "***.example.com", "b": "***"}


@given(st.text(st.characters(), max_size=30) | st.text("a.:[]%/@é\udc00-1", max_size=12))
def test_any_text_has_a_host_or_none(text: str) -> None:
    assert isinstance(canonical(text), str)
    host = host_of(text)
    assert host is None or isinstance(canonical(host), str)
    HostNames([text]).without(text, "***")
