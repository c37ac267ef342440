"""The thread that has the store to itself. What has gathered while it was writing is committed together: one transaction, one
sync, many executions.

While the store is unavailable (the disk is full, say) it keeps what it was given and tries again and again: nothing has been
answered, so nothing is lost, and work goes on by itself. Where what was written cannot be trusted, `broken` is called.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol, TypeVar, assert_never

from perdure.core.values import Consumed, Known, Ref
from perdure.runtime import ports
from perdure.runtime.counts import Counts
from perdure.runtime.faults import error_text
from perdure.store import port as p
from perdure.store.port import DATA_ERRORS, Store

CLAIM_MAX, POLL_MAX = 200, 200
IDLE_SECONDS = 0.02
"""How often it looks for work that another process has left."""

BATCH_MAX = 2_000
"""So many items at most in one transaction: the first of them should not wait for the last."""

FAILURES_TO_SPLIT, SECONDS_TO_SPLIT = 5, 30.0
"""A batch is split after so many failures of it, or one that took so long, if the store takes an empty transaction."""

LET_IN_SECONDS, WORTH_IT = 0.0003, 8
"""Threads do not hand the interpreter to each other: one that comes back from the disk waits for it up to 5 ms. So whoever has
submitted so many items stands aside, for no longer than that, until they are taken; then one decides while the other writes. Not
while a commit has just begun: then nobody waits for the interpreter.
"""

QUICK_SECONDS = 0.001
"""So long whoever asks may be kept from everything else by a commit."""

PAUSE_SECONDS = 0.05
PAUSE_SECONDS_MAX = 1.0

Answer = TypeVar("Answer")
_log = logging.getLogger("perdure.store")


RECOVERY_SECONDS = 1.0
"""Pause before the next look for work, after one that failed."""


class FirstWrites(Protocol):
    """What has to be stored before other rows, or with them."""

    def first_write(self) -> p.Item | None: ...

    def has_written(self, item: p.Item) -> None:
        """It is durable."""
        ...


class Writer(threading.Thread):
    """`deliver` is called in this thread with what the engine has to know; `now` is the clock."""

    def __init__(
        self,
        store: Store,
        worker: str,
        deliver: Callable[[list[ports.Input]], None],
        now: Callable[[], int],
        broken: Callable[[p.Broken], None],
        *,
        works: bool = True,
        counts: Counts | None = None,
    ) -> None:
        """`works`: it also looks for what there is to do."""
        super().__init__(name=f"perdure-writer-{worker}", daemon=True)
        self._store, self._worker, self._deliver, self._now, self._broken = store, worker, deliver, now, broken
        self._works, self._counts = works, counts or Counts()
        self._changed = threading.Condition()
        self._submitted: deque[Sequence[p.Item]] = deque()
        self._questions: list[ports.Query | Callable[[Any], None]] = []
        self._taken = threading.Event()
        """Set when what was submitted has been taken."""
        self._stopping = False
        self._is_idle = False
        self._seconds = self._begun = 0.0
        """What a commit has taken lately."""
        self.capacity = CLAIM_MAX
        """How many more executions the engine is willing to hold."""
        self.poll_max = POLL_MAX
        """How much is looked for at a time, beside claims."""
        self.crowded: Callable[[], tuple[str, ...]] = tuple
        """Organizations of which no more executions are to be claimed."""
        self._claim_at = 0.0
        """When there may be something to claim of other organizations."""
        self._told = False
        """Whether the engine has been told of work that it has not answered yet."""
        self.first_writes: FirstWrites | None = None
        self.failure: BaseException | None = None
        self.trouble: str | None = None
        """Why the store is unavailable, as long as it is."""
        self.lookup_failure: str | None = None
        """Why the last look for work failed, if it did."""
        self._look_at = 0.0
        self._busy_since: float | None = None
        """Since when the store has been asked for the same thing."""

    def submit(self, items: tuple[p.Item, ...], questions: tuple[ports.Query, ...] = ()) -> None:
        """Up to `BATCH_MAX` items are written in one transaction, whatever is written with them: all of them, or none."""
        with self._changed:
            self._questions.extend(questions)
            if items:  # else the engine has to hear something before it can go on
                self._submitted.append(items)
                self._told = False
            self._taken.clear()
            self._changed.notify()
        if len(items) >= WORTH_IT and (self._is_idle or time.perf_counter() - self._begun > self._seconds / 2):
            self._taken.wait(LET_IN_SECONDS)

    def heard(self) -> None:
        """The engine has taken in what it was told, and has nothing to submit."""
        self._told = False

    def at_once(self, items: tuple[p.Item, ...]) -> list[p.Outcome] | None:
        """Commit in the thread of the caller, who has nothing else to do: nobody has to be woken, twice. None: submit them.

        Only where it is quick: the disk has been, nobody else writes, and this thread has nothing to do either. The turn is held
        until this thread looks for work again.
        """
        if self._seconds > QUICK_SECONDS or not self._changed.acquire(blocking=False):
            return None
        try:
            if not self._is_idle or self._submitted or self._questions or self._stopping or not self._store.at_hand():
                return None
            outcomes = self._commit(items)
        except p.Broken as error:
            self._broken(error)
            raise
        except Exception:  # noqa: BLE001  the other thread tries again, or says what is wrong
            return None
        else:
            if self._store.stirred:  # that is for the other thread to look for
                self._told = False
                self._changed.notify()
            return outcomes
        finally:
            self._changed.release()

    def _commit(self, items: Sequence[p.Item]) -> list[p.Outcome]:
        return self._measure(partial(self._commit_with_first, items), len(items))

    def _commit_with_first(self, items: Sequence[p.Item]) -> list[p.Outcome]:
        first = self._first_write()
        added = () if first is None or first in items else (first,)
        outcomes = self._store.commit((*added, *items) if added else items)[len(added) :]
        if self.first_writes is not None and first is not None:
            self.first_writes.has_written(first)
        return outcomes

    def _first_write(self) -> p.Item | None:
        return None if self.first_writes is None else self.first_writes.first_write()

    def _measure(self, commit: Callable[[], Answer], count: int) -> Answer:
        begun = self._begun = time.perf_counter()
        outcomes = commit()
        took = time.perf_counter() - begun
        self._seconds += (took - self._seconds) / 8
        self._counts.commit_seconds.add(took)
        self._counts.commit_items.add(count)
        return outcomes

    def _write(self, items: Sequence[p.Item]) -> list[p.Outcome]:
        """Commit a batch. If values in it cannot be stored, write each item in a savepoint; those that fail alone twice are
        refused, and all others are written. What has been committed is not tried again.
        """
        outcomes: list[p.Outcome] = []
        rest = items
        while rest:
            try:
                return [*outcomes, *self._commit_or_split(rest)]
            except p.BatchTooLarge as error:
                outcomes += self._write(rest[: error.count])
                rest = rest[error.count :]
            except DATA_ERRORS as error:
                return [*outcomes, *self._write_apart(rest, error)]
        return outcomes

    def _write_apart(self, items: Sequence[p.Item], error: Exception) -> list[p.Outcome]:
        """Write the items of a batch that cannot be stored as it is, each in a savepoint, and those that fail a second time."""
        if self._first_write() is not None:
            self._lastingly(partial(self._commit, ()))
        outcomes = self._tried_apart(items, p.SAVEPOINT_ITEMS, error)
        failed = [place for place, outcome in enumerate(outcomes) if isinstance(outcome, Exception)]
        # What has been committed has shown that the connection works.
        again = self._tried_apart([items[place] for place in failed], 1, error) if failed else []
        for place, outcome in zip(failed, again, strict=True):
            if isinstance(outcome, Exception):
                outcomes[place] = self._refuse(items[place], outcome)
            else:
                _log.warning("an item that could not be stored was stored at the second attempt: %s", outcomes[place])
                outcomes[place] = outcome
        return [outcome for outcome in outcomes if not isinstance(outcome, Exception)]

    def _tried_apart(self, items: Sequence[p.Item], group: int, error: Exception) -> list[p.Outcome | Exception]:
        """Write items in savepoints. If even that fails, by what is written at the end of a transaction, divide them."""
        try:
            return self._lastingly(partial(self._measure, partial(self._store.commit_apart, items, group), len(items)))
        except DATA_ERRORS as another:
            error = another
        if len(items) == 1:
            self._lastingly(partial(self._store.commit, ()))  # the connection works
            return [error]
        half = len(items) // 2
        return [*self._tried_apart(items[:half], group, error), *self._tried_apart(items[half:], group, error)]

    def _refuse(self, item: p.Item, error: Exception) -> p.Outcome:
        if isinstance(item, p.Beat) and item.tasks:  # without it the worker counts as dead
            _log.error("the task names of this worker cannot be stored, so no work is offered for them: %s", error)
            return self._write((p.Beat(item.worker, item.until),))[0]
        return p.Refused(f"{p.CANNOT_BE_STORED}{error_text(error)}")

    def _commit_or_split(self, items: Sequence[p.Item]) -> list[p.Outcome]:
        """Commit a batch, when the store is available. If the store takes an empty transaction and again and again not this one,
        the batch may be too much for it: raises `BatchTooLarge` with half of it.
        """
        failures = 0

        def commit() -> list[p.Outcome]:
            nonlocal failures
            begun = time.monotonic()
            try:
                return self._commit(items)
            except p.Unavailable:
                failures += 1
                took = time.monotonic() - begun
                if len(items) > 1 and (failures % FAILURES_TO_SPLIT == 0 or took > SECONDS_TO_SPLIT):
                    self._store.commit(())
                    raise p.BatchTooLarge(len(items) // 2) from None
                raise

        return self._lastingly(commit)

    @property
    def stalled_seconds(self) -> float:
        """How long the action that the store performs at this moment has taken, with all that failed of it."""
        since = self._busy_since
        return 0.0 if since is None else time.monotonic() - since

    def ask(self, question: Callable[[Any], None]) -> None:
        """Call it with the store, in this thread."""
        with self._changed:
            self._questions.append(question)
            self._changed.notify()

    def stop(self) -> None:
        """After all that has been submitted is done; at once, if the store is unavailable."""
        with self._changed:
            self._stopping = True
            self._changed.notify()

    def run(self) -> None:
        self._store.hold()
        try:
            while self._round():
                pass
            self._store.rest()
        except p.Broken as error:
            self._broken(error)
        except BaseException as error:  # noqa: BLE001  whoever waits for an answer must be told
            self.failure = error
            self._deliver([])

    def _round(self) -> bool:
        with self._changed:
            if not self._submitted and not self._questions and not self._stopping:
                self._store.rest()
                self._is_idle = True
                self._changed.wait(IDLE_SECONDS)
                self._is_idle = False
            items = self._next_items()
            questions, self._questions = self._questions, []
            self._taken.set()
            if self._stopping and not items and not questions:
                return False
        if items:
            outcomes = self._write(items)
            self._deliver([ports.Answer(tuple(items), tuple(outcomes))])
        answers: list[ports.Input] = []
        for question in questions:
            if isinstance(question, ports.FetchValues | ports.FetchModel | ports.FetchMail):
                answers.append(self._fetch(question))
            else:
                self._call(question)
        if answers:
            self._deliver(answers)
        if self._works and not self._told and not self._stopping and time.monotonic() >= self._look_at:
            self._look_for_work()
        return True

    def _call(self, question: Callable[[Any], None]) -> None:
        """Answer a question that another component asks. Its errors are that component's."""
        self._busy_since = time.monotonic()
        try:
            question(self._store)
        except p.Broken:
            raise
        except Exception:  # noqa: BLE001
            _log.exception("a question to the store failed")
        finally:
            self._busy_since = None

    def _next_items(self) -> list[p.Item]:
        """What has been submitted, as much as belongs into one transaction. What was submitted together stays so, unless it is
        too much by itself.
        """
        items: list[p.Item] = []
        while self._submitted and (not items or len(items) + len(self._submitted[0]) <= BATCH_MAX):
            items.extend(self._submitted.popleft())
        if len(items) > BATCH_MAX:
            self._submitted.appendleft(items[BATCH_MAX:])
        return items[:BATCH_MAX]

    def _to_do(self) -> p.ToDo:
        return self._store.stirs(self._worker, now=self._now())

    def _lastingly(self, action: Callable[[], Answer]) -> Answer:
        """Until it succeeds. All that is done here can be done again."""
        self._busy_since = time.monotonic()
        try:
            return self._until_available(action)
        finally:
            self._busy_since = None

    def _until_available(self, action: Callable[[], Answer]) -> Answer:
        pause = PAUSE_SECONDS
        while True:
            try:
                answer = action()
            except p.Unavailable as error:
                if self.trouble is None:
                    _log.warning("the store is unavailable, and tried again until it is not: %s", error)
                self.trouble = str(error)
                with self._changed:
                    if self._stopping:
                        raise
                    self._changed.wait(pause)
                pause = min(2 * pause, PAUSE_SECONDS_MAX)
            else:
                if self.trouble is not None:
                    _log.warning("the store is available again")
                    self.trouble = None
                return answer

    def _answer(self, query: ports.Query) -> ports.Input:
        match query:
            case ports.FetchValues():
                return ports.Fetched(
                    query.execution, query.epoch, dict(self._store.values(query.execution, query.refs))
                )
            case ports.FetchModel():
                try:
                    return ports.ModelFetched(query.digest, self._store.model(query.digest))
                except KeyError:  # forgotten in the meantime
                    return ports.ModelFetched(query.digest, b"")
            case ports.FetchMail():
                mail = self._store.mail(self._worker, query.execution)
                return p.Polled(((query.execution, mail),) if mail else (), (), ())
            case _:
                assert_never(query)

    def _fetch(self, query: ports.Query) -> ports.Input:
        """Answer a query of the engine. A value that cannot be read is the fault of one execution."""
        try:
            return self._lastingly(partial(self._answer, query))
        except DATA_ERRORS as error:
            reason = error_text(error)
        if isinstance(query, ports.FetchValues):
            return self._fetch_apart(query)
        if isinstance(query, ports.FetchMail):
            return p.Polled(((query.execution, p.Unreadable(f"its mail: {reason}")),), (), ())
        return ports.ModelFetched(query.digest, b"")

    def _fetch_apart(self, query: ports.FetchValues) -> ports.Input:
        """Fetch each value alone, and twice if it fails. A name that the database cannot hold is the name of nothing."""
        values: dict[Ref, Any] = {}
        for ref in query.refs:
            read = partial(self._store.values, query.execution, (ref,))
            try:
                try:
                    values.update(self._lastingly(read))
                except DATA_ERRORS:
                    values.update(self._lastingly(read))
            except DATA_ERRORS as error:
                if isinstance(ref, Known | Consumed):
                    values[ref] = "" if isinstance(ref, Known) else False
                else:
                    return ports.Fetched(query.execution, query.epoch, values, error_text(error))
        return ports.Fetched(query.execution, query.epoch, values)

    def _look_for_work(self) -> None:
        """An error that one row causes must not end the process: the work that is under way goes on, and so does what others ask
        for. It is tried again.
        """
        try:
            self._look(self._lastingly(self._to_do))
            self.lookup_failure = None
        except (p.Broken, p.Unavailable):
            raise
        except Exception as error:  # noqa: BLE001
            if self.lookup_failure is None:
                _log.exception("looking for work failed; it is tried again every %.0f s", RECOVERY_SECONDS)
            self.lookup_failure = error_text(error)
            self._look_at = time.monotonic() + RECOVERY_SECONDS

    def _claim(self, room: int) -> list[p.Claim]:
        """Of a crowded organization there is always something to claim: if nothing else is found, ask again a little later."""
        crowded = self.crowded()
        if crowded and time.monotonic() < self._claim_at:
            return []
        claims = self._store.claim(self._worker, now=self._now(), limit=room, but_not=crowded)
        if crowded and not claims:
            self._claim_at = time.monotonic() + IDLE_SECONDS
        return claims

    def _look(self, to_do: p.ToDo) -> None:
        """What there is to do that the engine has not been told of. It is told of claims as soon as they are durable: they are
        this worker's, whatever comes after.
        """
        room = min(self.capacity, CLAIM_MAX)
        if p.ToDo.CLAIM in to_do and room > 0:
            claims = self._lastingly(partial(self._claim, room))
            if claims:
                self._counts.claimed += len(claims)
                self._told = True
                self._deliver([ports.Claimed(tuple(claims))])
        if p.ToDo.POLL not in to_do:
            return
        polled = self._lastingly(lambda: self._store.poll(self._worker, now=self._now(), limit=self.poll_max))
        if polled.mail or polled.lookbacks or polled.events or polled.schedules or polled.poisoned:
            self._told = True
            self._deliver([polled])
