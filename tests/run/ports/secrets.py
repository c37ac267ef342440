"""Secrets where they may not stand, and where there are none."""

from __future__ import annotations

from typing import Any

from run.case import Case
from run.expected import ABSENT, UNSAID
from run.ports.words import action, approval, condition, echo, flow, loop, output, sets, step


def _misused(name: str, *steps: dict[str, Any], **config: Any) -> Case:
    return Case(f"refused: a secret in {name}", flow(*steps, **config), exit=2, says=("secret", "/"))


def _plain(name: str, value: Any) -> Case:
    return Case(
        f"refused: {name} as a secret", flow(echo("a"), secrets={"KEY": value}), exit=2, says=("KEY", "/config/secrets")
    )


def seals(slug: str, leads: Any, *entries: dict[str, Any]) -> dict[str, Any]:
    return action(slug, "set_variables", {"variables": list(entries)}, leads)


def _sealed(name: str, value: Any, sent: Any, **more: Any) -> Case:
    """What a task finds in a sealed variable, letter by letter: a whole one that comes back is hidden."""
    keep = seals("keep", "use", {"name": "token", "value": value, "secure": True})
    use = action("use", "spell", {"text": "{{secrets.token}}"})
    return Case(
        f"sealed: {name}", flow(echo("login", "keep", part="p4rt-of-it", n=12345678), keep, use), output=sent, **more
    )


SECRETS: tuple[Case, ...] = (
    _sealed(
        "a text",
        "tok-{{steps.login.output.data.part}}",
        " ".join("tok-p4rt-of-it"),
        view={
            "variables.token": "***",
            "variables.secrets": {"token": "***"},
            "variables.secrets/token": ABSENT,
            "variables.steps.keep.output.data": {"token": "***"},
        },
    ),
    _sealed("a number", "{{lastOutput.data.n}}", " ".join("12345678")),
    _sealed("an object is its JSON", {"a": "{{lastOutput.data.n}}"}, " ".join('{"a":12345678}')),
    _sealed(
        "nothing to seal",
        "{{steps.login.output.data.nothing}}",
        UNSAID,
        exit=1,
        error={"category": "VALIDATION", "code": "NO_VALUE"},
        says=("'keep'", "'token'", "null, undefined or empty"),
    ),
    Case(
        "sealed: in their order, each entry sees those before it",
        flow(
            seals(
                "keep",
                "use",
                {"name": "x", "value": "{{x + 1}}"},
                {"name": "first", "value": "one-{{x}}-{{x}}", "secure": True},
                {"name": "x", "value": "{{x + 1}}"},
                {"name": "second", "value": "two-{{x}}-{{first}}", "secure": True},
                {"name": "x", "value": "{{x + 1}}"},
            ),
            action("use", "spell", {"text": "{{secrets.first}} {{secrets.second}}"}),
        ),
        {"x": 1},
        output=" ".join("one-2-2 two-3-***"),
        view={
            "variables.x": 4,
            "variables.steps.keep.output.data": {"x": 4, "first": "***", "second": "***"},
            "variables.secrets": {"first": "***", "second": "***"},
        },
    ),
    Case(
        "sealed: what comes back of it is hidden",
        flow(
            seals("keep", "use", {"name": "token", "value": "tok-{{part}}", "secure": True}),
            echo("use", whole="Bearer {{secrets.token}}", bare="{{token}} {{variables.token}}", all="{{variables}}"),
        ),
        {"part": "p4rt-of-it"},
        output={"whole": "Bearer ***", "bare": "*** ***", "all": {"part": "p4rt-of-it", "token": "***"}},
    ),
    Case(
        "sealed: set again, the last one counts",
        flow(
            loop([1, 2], {"loop": "keep", "done": "use"}),
            seals("keep", "each", {"name": "token", "value": "token-{{loop.item}}", "secure": True}),
            action("use", "spell", {"text": "{{secrets.token}}"}),
        ),
        output=" ".join("token-2"),
    ),
    Case(
        "sealed: a failure goes by the error port",
        flow(
            seals("keep", {"success": "use", "error": "use"}, {"name": "token", "value": "{{nobody}}", "secure": True}),
            echo("use", code="{{steps.keep.error.code}}"),
        ),
        output={"code": "NO_VALUE"},
    ),
    Case(
        "sealed: an outputMapping beside it",
        flow(
            {
                **seals("keep", "use", {"name": "token", "value": "{{part}}-x", "secure": True}),
                "outputMapping": {"copy": "data.token"},
            },
            action("use", "spell", {"text": "{{secrets.token}} {{copy}}"}),
        ),
        {"part": "p4rt-of-it"},
        output=" ".join("p4rt-of-it-x ***"),
    ),
    Case(
        "refused: a sealed variable whose name no secret can have",
        flow(seals("keep", None, {"name": "my-token", "value": "{{x}}", "secure": True})),
        exit=2,
        says=("my-token", "/steps/0/config/parameters/variables/0/name"),
    ),
    *(
        Case(
            f"refused: a sealed variable set without secure, {name}",
            flow(
                seals("keep", "more", {"name": "token", "value": "{{x}}", "secure": True}, *entries),
                more,
            ),
            exit=2,
            says=("'token' is sealed by step 'keep'", path),
        )
        for name, entries, more, path in (
            ("later", (), sets("more", token="{{y}}"), "/steps/1/config/parameters/variables/token"),
            (
                "in the same list",
                ({"name": "token", "value": "{{y}}"},),
                echo("more"),
                "/steps/0/config/parameters/variables/1/name",
            ),
            (
                "by an outputMapping",
                (),
                {**echo("more"), "outputMapping": {"token": "data.x"}},
                "/steps/1/outputMapping/token",
            ),
        )
    ),
    *(
        Case(
            f"refused: secure {name}",
            flow(action("keep", "set_variables", parameters)),
            exit=2,
            says=("nothing is sealed here: 'secure' has an effect only in a list of entries", "token"),
        )
        for name, parameters in (
            ("in the parameters", {"name": "token", "value": "{{x}}", "secure": True}),
            ("in an object of variables", {"variables": {"token": {"value": "{{x}}", "secure": True}}}),
            ("of a parameter", {"token": {"value": "{{x}}", "secure": True}}),
            ("as a text", {"variables": {"token": {"value": "{{x}}", "secure": "true"}}}),
        )
    ),
    *(
        Case(
            f"refused: {key} for secure",
            flow(seals("keep", None, {"name": "token", "value": "{{x}}", key: True})),
            exit=2,
            says=(
                f"'{key}' means nothing here",
                "would be stored as plain text",
                f"/steps/0/config/parameters/variables/0/{key}",
            ),
        )
        for key in ("Secure", "secured", "isSecure", "is_secret", "encrypted", "secrue")
    ),
    Case(
        "an entry with other keys is set",
        flow(seals("keep", None, {"name": "a", "value": 1, "description": "one", "secret": False}), id="a"),
        view={"variables.a": 1},
    ),
    Case(
        "refused: a sealed variable without a value",
        flow(seals("keep", None, {"name": "token", "secure": True})),
        exit=2,
        says=("'value' is missing", "/steps/0/config/parameters/variables/0"),
    ),
    Case(
        "sealed: too large",
        flow(seals("keep", None, {"name": "token", "value": "{{x}}", "secure": True})),
        {"x": "é" * 16_385},
        exit=1,
        error={"category": "VALIDATION", "code": "LIMIT"},
        says=("'keep'", "'token'", "32,770 bytes", "32,768"),
    ),
    _sealed("the largest", "{{'x'.repeat(32768)}}", " ".join("x" * 32_768)),
    Case(
        "sealed: the envelope is no variable",
        flow(
            seals("keep", "use", {"name": "token", "value": "tok-{{part}}", "secure": True}),
            echo(
                "use",
                a="{{variables['secrets/token']}}",
                b="{{variables['secrets/' + 'token']}}",
                c="{{workflow.variables['secrets/token']}}",
            ),
        ),
        {"part": "p4rt-of-it"},
        output={},
    ),
    Case(
        "sealed: read before it is sealed",
        flow(
            echo("use", "keep", a="{{secrets.token}}"),
            seals("keep", None, {"name": "token", "value": "{{x}}", "secure": True}),
        ),
        {"x": "p4rt-of-it"},
        exit=1,
        error={"code": "MISSING_SECRET"},
        says=("or seal it in a step before this one",),
    ),
    _misused("a sealed variable", seals("keep", None, {"name": "token", "value": "{{secrets.KEY}}", "secure": True})),
    _misused("a condition", condition("{{secrets.KEY}} == 'x'", leads={"default": "end"})),
    _misused("a bare condition", condition("secrets.KEY == 'x'", leads={"default": "end"})),
    _misused("a prompt", step("ask", "llm", {"userPrompt": "use {{secrets.KEY}}"})),
    _misused("an output mapping", {**echo("a"), "outputMapping": {"key": "{{secrets.KEY}}"}}),
    _misused("an output step", output(key="{{secrets.KEY}}")),
    _misused("a variable", sets("s", key="{{secrets.KEY}}")),
    _misused("items", loop("{{secrets.KEY}}")),
    _misused("what is submitted", approval(submittedData={"key": "{{secrets.KEY}}"})),
    _misused("an object key", action("a", "echo", {"{{secrets.KEY}}": 1})),
    _misused("a method", echo("a", key="{{secrets.KEY.slice(1)}}")),
    _misused("a pipe", echo("a", key="{{secrets.KEY|upper}}")),
    _misused(
        "the input of a workflow", action("w", "workflow", {"workflowId": "w", "input": {"key": "{{secrets.KEY}}"}})
    ),
    _plain("plain text", "sk-live 123!"),
    _plain("a number", 5),
    _plain("an object of another kind", {"kind": "plain", "value": "x"}),
    Case(
        "a secret that nobody has set fails by its name",
        flow(echo("a", key="{{secrets.CRM_KEY}}")),
        exit=1,
        error={"category": "SECURITY"},
        says=("CRM_KEY",),
    ),
    Case(
        "a secret by another name fails by the name it goes by",
        flow(echo("a", key="Bearer {{secrets.KEY}}"), secrets={"KEY": "CRM_KEY"}),
        exit=1,
        says=("CRM_KEY",),
        view={"variables.secrets": {"KEY": "***"}},
    ),
    Case(
        "a secret that nobody reads",
        flow(echo("a", x=1), secrets={"KEY": "CRM_KEY"}),
        output={"x": 1},
        view={"variables.secrets": {"KEY": "***"}},
    ),
)
