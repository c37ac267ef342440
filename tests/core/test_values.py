"""Which facts hold what is looked up apart from them."""

from __future__ import annotations

from typing import get_args

from perdure.core import facts as f
from perdure.core.values import CONSUMING


def test_the_list_of_facts_that_may_have_consumed_an_event_leaves_none_out() -> None:
    assert {kind for kind in get_args(f.Fact) if "event_id" in kind.__struct_fields__} == CONSUMING
