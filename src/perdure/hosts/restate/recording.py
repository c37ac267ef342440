"""What there is to read of an execution, written to our own store in the order in which it came about, each fact once."""

from __future__ import annotations

from msgspec.structs import replace
from restate import ObjectContext, VirtualObject
from restate.context import RunOptions
from restate.exceptions import RetryableError

from perdure.hosts.restate.library import Library
from perdure.hosts.restate.messages import BYTES, EPOCH, OWNER, RECORD, Outcome, Written, decoded, encoded
from perdure.hosts.restate.policies import FORGOTTEN, PATIENT
from perdure.store import port as p


class Recording:
    """`object` is what Restate calls: one for each execution, so that each is written in its order."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self.object = VirtualObject(
            RECORD,
            enable_lazy_state=True,
            journal_retention=FORGOTTEN,
            invocation_retry_policy=PATIENT,
            ingress_private=True,
        )
        self.object.handler("write", input_serde=BYTES, output_serde=BYTES)(self._write)

    async def _write(self, ctx: ObjectContext, given: bytes) -> bytes:
        async def commit() -> bytes:
            return encoded(await self._committed(decoded(Written, given)))

        return await ctx.run_typed("commit", commit, RunOptions(serde=BYTES))

    async def _add_children(self, written: Written) -> None:
        """Only now is it certain that they are started. Events come after them: a child may look back to what its parent said."""
        if written.children:
            events = written.advance.changes.events
            await self._library.commit(
                *(p.Create(child, OWNER) for child in written.children), *(p.Publish(event) for event in events)
            )

    async def _committed(self, written: Written) -> Outcome:
        """Made again, it is answered as the first time: the store knows by the number of facts that it has been written."""
        itself = [] if written.itself is None else [p.Create(written.itself, OWNER)]
        *_, outcome = await self._library.commit(*itself, _without_events(written))
        match outcome:
            case p.Committed():
                await self._add_children(written)
                return "committed"
            case p.GuardFailed():
                return "guarded"
            case _:
                raise RetryableError(
                    f"what became of execution {written.advance.execution} cannot be written, {outcome}: somebody else has "
                    f"written to it. It belongs to {OWNER!r}, epoch {EPOCH}; let no worker run on the database of a Restate host"
                )


def _without_events(written: Written) -> p.Advance:
    advance = written.advance
    return replace(advance, changes=replace(advance.changes, events=())) if written.children else advance
