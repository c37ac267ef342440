"""LLM steps: what a language model is asked, with what it may do about it."""

from __future__ import annotations

from perdure.dialects.asking import Question, asked
from perdure.dialects.fields import Fields
from perdure.dialects.ports.built import Around, Built, retry_of, template, timeout_of
from perdure.dialects.ports.document import StepDef
from perdure.model.values import Value


def llm(step: StepDef, around: Around) -> Built:
    def render(fields: Fields, key: str) -> Value:
        return template(fields, key, around)

    found = asked(
        Question(
            step.slug,
            step.config,
            render,
            around.catalog,
            retry_of(step, around),
            timeout_of(step),
            has_budget=bool(around.budget),
        )
    )
    return Built(found.work, meta=found.meta, parts=found.parts)
