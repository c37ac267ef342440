"""Links to approvals. Approvals themselves are answered as `service.deciding` tells them, in the words of seed 001."""

from __future__ import annotations

from msgspec import Struct

from perdure.expressions.times import instant_ms, iso
from perdure.service.links import ApprovalLink
from perdure.service.shapes import Instant


class LinkAnswer(Struct, frozen=True, rename="camel"):
    """`url` is shown once: whoever has it decides in the name of `member`. Where the server does not know its public URL, it is
    what comes after that.
    """

    id: str
    approval_id: str
    member: str
    expires_at: Instant
    url: str


def link_answer(link: ApprovalLink) -> LinkAnswer:
    return LinkAnswer(link.id, link.approval, link.member, iso(link.expires_at), link.url)


def link_from(answer: LinkAnswer) -> ApprovalLink:
    return ApprovalLink(answer.id, answer.approval_id, answer.member, instant_ms(answer.expires_at), answer.url)
