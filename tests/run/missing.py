"""Conditions of IF_ELSE over fields that are missing, null or empty."""

from __future__ import annotations

from typing import Any

from run.words import Case, graph

_ABSENT: dict[str, Any] = {"other": 1}


def _if(name: str, operator: str, given: dict[str, Any], branch: bool, value: Any = None, **more: Any) -> Case:
    condition = {
        "field": "v",
        "operator": operator,
        **({} if operator.endswith("exists") else {"value": value}),
        **more,
    }
    document = graph("start > i; i.true > yes; i.false > no", {"i": ("IF_ELSE", {"condition": condition})})
    return Case(f"IF_ELSE {name}", document, given, output={**given, "yes" if branch else "no": True})


MISSING = (
    *(
        _if(f"{operator} of {name}", operator, given, (operator == "exists") == exists)
        for operator in ("exists", "not_exists")
        for name, given, exists in (
            ("an empty string", {"v": ""}, False),
            ("null", {"v": None}, False),
            ("false", {"v": False}, True),
            ("zero", {"v": 0}, True),
            ("an empty array", {"v": []}, True),
            ("a blank", {"v": " "}, True),
        )
    ),
    *(
        _if(f"{operator} of {name} and an empty string", operator, given, (operator == "eq") == equal, "")
        for operator in ("eq", "neq")
        for name, given, equal in (
            ("a missing field", _ABSENT, False),
            ("null", {"v": None}, False),
            ("an empty string", {"v": ""}, True),
        )
    ),
    _if("eq of a missing field and null", "eq", _ABSENT, True),
    _if("eq of null and null", "eq", {"v": None}, True),
    _if("eq of an empty string and null", "eq", {"v": ""}, False),
    _if("eq of an empty string and a missing value", "eq", {"v": ""}, False, "{{nothing}}"),
    _if("neq of a missing field and a text", "neq", _ABSENT, True, "gold"),
    _if("in: a missing field is not an empty item", "in", _ABSENT, False, ["", "a"]),
    _if("in: a missing field is not in an empty list", "in", _ABSENT, False, ""),
    _if("in: an empty string is an empty item", "in", {"v": ""}, True, ["", "a"]),
    _if("in: null is an item", "in", {"v": None}, True, [None, "a"]),
    _if("contains: an array with null has no empty item", "contains", {"v": [None]}, False, ""),
    _if("contains: a missing value is in no text", "contains", {"v": "abc"}, False, "{{nothing}}"),
    _if("contains: a missing field contains nothing", "contains", _ABSENT, False, ""),
    _if("contains: a text contains the empty string", "contains", {"v": "abc"}, True, ""),
    _if("lt: an empty string is not less than a number", "lt", {"v": ""}, False, 5),
    _if("gte: an empty string is not zero", "gte", {"v": ""}, False, 0),
    _if("gt: a number is not more than an empty string", "gt", {"v": 1}, False, ""),
)
