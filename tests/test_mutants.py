"""The tests have power: each of these changes for the worse is caught by the test that it names."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec import Struct

ROOT = Path(__file__).parent.parent
LATE = "core/test_tasks.py::test_a_late_or_doubled_answer_changes_nothing"


class Mutant(Struct, frozen=True):
    """In `file`, `old` becomes `new`; `test` must fail."""

    name: str
    file: str
    old: str
    new: str
    test: str


CORE = (
    Mutant(
        "what could not begin can be retried",
        "core/ending.py",
        "state.undoing is not None or not state.runs):",
        "state.undoing is not None):",
        "core/test_endings.py::test_what_cannot_begin_with_its_input_is_there_and_has_failed",
    ),
    Mutant(
        "what does not fit begins all the same",
        "core/advance.py",
        "if value is None or unfit is not None:",
        "if value is None:",
        "core/test_endings.py::test_what_cannot_begin_with_its_input_is_there_and_has_failed",
    ),
    Mutant(
        "a name that is null is looked for further on",
        "core/scope.py",
        "if isinstance(held, dict) and name in held:",
        "if isinstance(held, dict) and held.get(name) is not None:",
        "test_lowered.py::test_a_lowered_workflow_comes_to_what_its_seed_says[ports-lookup-order]",
    ),
    Mutant(
        "the last output is that of a step that failed",
        "core/scope.py",
        "if isinstance(draft.fact(seq), f.StepFailed):",
        "if draft.fact(seq) is None:",
        "test_lowered.py::test_a_lowered_workflow_comes_to_what_its_seed_says[ports-last-output-after-a-failure]",
    ),
    Mutant(
        "what is reserved is rounded down",
        "core/steps/task.py",
        "return max(0, math.ceil(found))",
        "return max(0, math.floor(found))",
        "test_lowered.py::test_a_lowered_workflow_comes_to_what_its_seed_says[ports-budget-computed]",
    ),
    Mutant(
        "parts of a step count as steps",
        "core/playing.py",
        "state.entered - _parts_entered(draft) >= limit",
        "state.entered >= limit",
        "test_lowered.py::test_a_lowered_workflow_comes_to_what_its_seed_says[ports-parts-do-not-count]",
    ),
    Mutant(
        "an answer of an earlier attempt is taken",
        "core/advance.py",
        "if not isinstance(op, TaskOp) or op.attempt != attempt:",
        "if not isinstance(op, TaskOp):",
        "core/test_tasks.py::test_an_earlier_attempt_cannot_answer_for_the_one_that_is_under_way",
    ),
    Mutant(
        "an answer during the backoff is taken",
        "core/advance.py",
        "return None if backing_off else op",
        "return op",
        LATE,
    ),
    Mutant(
        "a timer fires a millisecond early",
        "core/advance.py",
        "for number, at in state.dues.items() if at <= draft.at]",
        "for number, at in state.dues.items() if at <= draft.at + 1]",
        "core/test_waits.py::test_a_timer_fires_when_it_is_due_and_not_before",
    ),
    Mutant(
        "an event is consumed as often as it comes",
        "core/advance.py",
        'if draft.state.status != "running" or draft.has_consumed(record.id):',
        'if draft.state.status != "running":',
        "core/test_waits.py::test_an_event_is_consumed_once_by_an_execution",
    ),
    Mutant(
        "an event over which the step breaks is not consumed",
        "core/finishing.py",
        "return fail(draft, seat, Broken(fact, done.usage, done.op, _each(done), done.event_id))",
        "return fail(draft, seat, Broken(fact, done.usage, done.op, _each(done)))",
        "core/test_waits.py::test_an_event_over_which_a_step_breaks_is_consumed_all_the_same",
    ),
    Mutant(
        "an event from before the wait is taken by a wait that does not look back",
        "core/steps/event.py",
        "if arrived_.found_by and not work.lookback:",
        "if False:",
        "core/test_waits.py::test_an_old_event_is_for_waits_that_look_back_and_cancels_nothing",
    ),
    Mutant(
        "a failing step takes control back to its loop while its siblings still run",
        "core/program.py",
        "return Way(None, None, (), (loop,))",
        "return Way(None, None, (loop,), ())",
        "core/test_paths.py::test_a_tick_ends_when_all_of_its_branches_have_though_one_failed",
    ),
    Mutant(
        "a path stays in a loop that is gone",
        "core/folding/frames.py",
        "    while frame in around:",
        "    while False:",
        "core/test_paths.py::test_every_trace_of_a_loop_that_is_left_leads_outward",
    ),
    Mutant(
        "one attempt too many",
        "core/steps/task.py",
        "failures >= retry.attempts_max",
        "failures > retry.attempts_max",
        "core/test_tasks.py::test_a_task_that_has_used_its_attempts_fails_the_execution",
    ),
    Mutant(
        "every attempt has its own key",
        "core/steps/task.py",
        'key=f"{state.execution}:{op}"',
        'key=f"{state.execution}:{op}:{attempt}"',
        "core/test_tasks.py::test_a_failed_task_is_retried_after_its_backoff",
    ),
    Mutant(
        "a lost attempt counts as a failure",
        "core/folding/attempts.py",
        "replace(op, attempt=fact.attempt + 1))",
        "replace(op, attempt=fact.attempt + 1, failures=op.failures + 1))",
        "core/test_tasks.py::test_an_attempt_that_was_lost_is_made_again_at_once_and_does_not_count_as_a_failure",
    ),
    Mutant(
        "a later checkpoint replaces the first",
        "core/steps/task.py",
        'if op.checkpoints is None or f"{event.name}#{event.n}" not in op.checkpoints:',
        "if True:",
        "core/test_tasks.py::test_checkpoints_are_kept_across_attempts_and_their_first_value_stays",
    ),
    Mutant(
        "a join does not wait for what runs",
        "core/joins.py",
        "live = (state.forward | state.running | state.backward & ~gate.around) & ~bit",
        "live = (state.forward | state.backward & ~gate.around) & ~bit",
        "core/test_joins.py::test_a_diamond_merges_once",
    ),
    Mutant(
        "a cycle begins again before it is quiet",
        "core/joins.py",
        "quiet = not (state.forward | state.running | state.backward) & ~bit & gate.cycle",
        "quiet = True",
        "core/test_joins.py::test_two_ways_back_into_one_cycle_wait_for_it_to_be_quiet",
    ),
    Mutant(
        "items are handed out after one has failed",
        "core/readiness.py",
        "if scope.stopped or scope.failed or scope.in_flight >= each.concurrency:",
        "if scope.stopped or scope.in_flight >= each.concurrency:",
        "core/test_loops.py::test_an_item_that_fails_stops_the_handing_out_and_the_step_fails_when_the_others_have_ended",
    ),
    Mutant(
        "a transition never ends",
        "core/draft.py",
        "STEPS_MAX = 256",
        "STEPS_MAX = 1 << 60",
        "core/test_loops.py::test_a_loop_without_a_body_ticks_by_itself_and_lets_others_have_a_turn",
    ),
    Mutant(
        "the later in time wins where paths meet",
        "core/meeting.py",
        "if order[old.step] > order[new.step] else (new, old)",
        "if old.seq > new.seq else (new, old)",
        "core/test_paths.py::test_where_paths_meet_the_last_writer_in_topological_order_wins",
    ),
    Mutant(
        "a compensation does not wait for what is in flight",
        "core/compensation.py",
        "while (undoing := draft.state.undoing) is not None and not draft.state.ops:",
        "while (undoing := draft.state.undoing) is not None and (undoing.phase == 'settling' or not draft.state.ops):",
        "core/test_undoing.py::test_an_attempt_in_flight_settles_first_and_its_late_success_is_undone",
    ),
    Mutant(
        "steps are undone in the order in which they were done",
        "core/compensation.py",
        "key=state.completed.__getitem__, reverse=True",
        "key=state.completed.__getitem__",
        "core/test_undoing.py::test_a_cancelled_execution_is_undone_in_reverse_order",
    ),
    Mutant(
        "what is being undone can be retried",
        "core/ending.py",
        'if not due and (state.status != "failed" or state.undoing is not None or not state.runs):',
        'if not due and (state.status != "failed" or not state.runs):',
        "core/test_undoing.py::test_a_failed_execution_is_undone_where_it_asks_for_that",
    ),
    Mutant(
        "what was asked for another version is done",
        "core/ending.py",
        "if request.version in (None, now):",
        "if request.version is None or request.version <= now:",
        "core/test_endings.py::test_a_cancellation_of_another_version_changes_nothing_and_is_told",
    ),
    Mutant(
        "waiting for people counts against the deadline",
        "core/ending.py",
        "if asking and deadline.due_at is not None:",
        "if False:",
        "core/test_endings.py::test_waiting_for_people_and_events_does_not_count_where_the_deadline_pauses",
    ),
    Mutant(
        "all executions of a chain are one",
        "core/chains.py",
        'child=derived(draft.state.execution, "chain", number, place)',
        'child=derived(draft.state.execution, "chain", number)',
        "core/test_starting_others.py::test_a_chain_fans_out_over_an_array_in_chunks",
    ),
)

ENGINE = (
    Mutant(
        "commands are performed before their facts are durable",
        "runtime/engine.py",
        "        held.under_way = batch\n",
        "        held.under_way = batch\n        self._perform(held, batch.commands)\n",
        "test_worlds.py::test_whatever_befalls_a_world_nothing_is_lost_and_nothing_is_doubled[0]",
    ),
    Mutant(
        "a start is acknowledged before it is durable",
        "runtime/engine.py",
        "        self.held[execution] = held\n        self._requests",
        "        self.held[execution] = held\n"
        "        self._out.replies.append(ports.Reply(request.ticket, execution, created=True))\n"
        "        self._requests",
        "test_worlds.py::test_whatever_befalls_a_world_nothing_is_lost_and_nothing_is_doubled[0]",
    ),
    Mutant(
        "attempts of a dead worker are not declared lost",
        "runtime/held.py",
        "held.queue.append(Incoming(e.AttemptLost(now, op.op, op.attempt)))",
        "pass",
        "test_worlds.py::test_whatever_befalls_a_world_nothing_is_lost_and_nothing_is_doubled[0]",
    ),
    Mutant(
        "an attempt that nobody has made counts as lost",
        "runtime/held.py",
        "if op.op not in uncalled:",
        "if True:",
        "test_missing_tasks.py::test_an_execution_ends_up_with_the_worker_that_has_the_task_and_no_attempt_is_lost",
    ),
    Mutant(
        "a worker that was paused may overwrite newer state",
        "store/memory/commits.py",
        "row.owner != item.owner or row.epoch != item.epoch",
        "False",
        "test_worlds.py::test_whatever_befalls_a_world_nothing_is_lost_and_nothing_is_doubled[40]",
    ),
    Mutant(
        "mail does not wake an execution",
        "store/memory/claiming.py",
        "not (_has_news(row) or (not is_parked(tables, row)",
        "not ((not is_parked(tables, row)",
        "test_worlds.py::test_whatever_befalls_a_world_nothing_is_lost_and_nothing_is_doubled[0]",
    ),
    Mutant(
        "whoever takes over does not read the mail before the time",
        "runtime/held.py",
        "    for mail in claim.mail:\n        held.add_mail(mail.pos, mail.event)\n    due = wake_at(state)\n",
        "    due = wake_at(state)\n",
        "test_taking_over.py::test_an_event_that_came_in_time_is_not_too_late_because_nobody_looked",
    ),
    Mutant(
        "whoever takes over calls a task before its loss is recorded",
        "runtime/engine.py",
        "if not held.recovering or held.queue or held.wanted",
        "if not held.recovering or held.wanted",
        "test_taking_over.py::test_an_attempt_is_not_made_again_before_its_loss_is_recorded",
    ),
    Mutant(
        "progress that changes nothing else does not set the count of crashes back",
        "runtime/engine.py",
        "held.has_committed = held.has_committed or item.progress",
        "held.has_committed = True",
        "test_crash_counter.py::test_what_gets_a_step_further_in_each_life_is_not_parked_however_many_there_are",
    ),
    Mutant(
        "a task is called although its execution has ended",
        "runtime/engine.py",
        "        if is_wanted(held.state, op):",
        "        if True:",
        "test_taking_over.py::test_a_step_that_is_scheduled_and_cancelled_in_one_commit_is_never_called",
    ),
    Mutant(
        "snapshots are counted from the claim",
        "runtime/held.py",
        "held.snapshot_at = state.seq - len(claim.facts)",
        "held.snapshot_at = state.seq",
        "test_taking_over.py::test_what_wakes_often_is_not_folded_from_its_beginning_each_time",
    ),
    Mutant(
        "giving up an approval is guarded like a verdict by time",
        "store/memory/commits.py",
        "for op, _ in item.changes.approvals_settled:",
        "for op in (*(op for op, _ in item.changes.approvals_settled), *item.changes.approvals_closed):",
        "test_engine.py::test_a_step_may_fail_in_the_moment_in_which_an_approval_beside_it_is_decided",
    ),
)


EXPRESSIONS = (
    Mutant(
        "a pipe binds like an operator",
        "expressions/outline.py",
        'self.copy(token.at, f" .{MARK}", skips=found.start(1))',
        'self.copy(token.at, f" + [].{MARK}", skips=found.start(1))',
        "expressions/test_cases.py::test_an_expression_means_what_the_specification_says",
    ),
    Mutant(
        "a bracket closes any other",
        "expressions/outline.py",
        "if _CLOSING.get(level.opened) != token.text:",
        "if not level.opened:",
        "expressions/test_cases.py::test_an_expression_means_what_the_specification_says",
    ),
    Mutant(
        "values may stand side by side",
        "expressions/outline.py",
        "            case text:\n                self.no_operator(token, text)",
        "            case _:\n                pass",
        "expressions/test_cases.py::test_an_expression_means_what_the_specification_says",
    ),
    Mutant(
        "brackets may be as deep as the source is long",
        "expressions/outline.py",
        "if len(self.levels) > DEPTH_MAX:",
        "if len(self.levels) > 4 * DEPTH_MAX:",
        "expressions/test_fuzz.py::test_brackets_are_at_most_so_deep",
    ),
    Mutant(
        "octal escapes",
        "expressions/tokens.py",
        "0(?![0-9])|[^ux0-9])",
        "0(?![0-9])|[^ux])",
        "expressions/test_cases.py::test_what_was_once_wrong_is_right",
    ),
    Mutant(
        "a function is a value",
        "expressions/calls.py",
        "        if isinstance(arguments[number], t.Arrow):",
        "        if False:",
        "expressions/test_cases.py::test_an_expression_means_what_the_specification_says",
    ),
    Mutant(
        "a parameter hides the time",
        "expressions/calls.py",
        'frozenset({"now", "nowMs", "secrets", *CONSTANTS',
        'frozenset({"secrets", *CONSTANTS',
        "expressions/test_cases.py::test_what_was_once_wrong_is_right",
    ),
    Mutant(
        "a source of any length",
        "expressions/parse.py",
        'if len(source.encode("utf-8", "surrogatepass")) > bytes_max:',
        "if len(source) > 4 * bytes_max:",
        "expressions/test_fuzz.py::test_a_source_above_four_kilobytes_is_refused_whatever_it_is",
    ),
    Mutant(
        "-2 ** 2 without parentheses",
        "expressions/parse.py",
        'if operator == "**" and sides[0].type == "unary_expression":',
        'if operator == "never":',
        "expressions/test_cases.py::test_what_was_once_wrong_is_right",
    ),
    Mutant(
        "steps are not counted",
        "expressions/effort.py",
        "    if left[0] < 0:",
        "    if left[0] < -(10**9):",
        "expressions/test_cases.py::test_an_expression_means_what_the_specification_says",
    ),
    Mutant(
        "what an expression did counts for the next one",
        "expressions/effort.py",
        "        left[0] = STEPS_MAX\n",
        "",
        "expressions/test_bounds.py::test_the_expressions_of_a_value_share_a_bound",
    ),
    Mutant(
        "what is in a value twice is copied twice",
        "expressions/results.py",
        "        if found is not None:\n            return found\n",
        "",
        "expressions/test_fuzz.py::test_what_is_made_to_hurt_does_not",
    ),
    Mutant(
        "undefined keeps its key",
        "expressions/results.py",
        "if copy is not UNDEFINED}",
        "}",
        "expressions/test_cases.py::test_an_expression_means_what_it_means_in_javascript",
    ),
    Mutant(
        "a text is built before it is measured",
        "expressions/texts.py",
        "        fits(length)\n",
        "",
        "expressions/test_cases.py::test_an_expression_means_what_the_specification_says",
    ),
    Mutant(
        "a property comes from Python",
        "expressions/operators.py",
        '    if name == "length" and isinstance(value, str | list):\n        return length(value)\n    return UNDEFINED',
        '    if name == "length" and isinstance(value, str | list):\n        return length(value)\n    return getattr(value, name, UNDEFINED)',
        "expressions/test_escapes.py::test_a_name_from_outside_is_undefined_on_plain_data",
    ),
    Mutant(
        "1 === true",
        "expressions/operators.py",
        "    return type(one) is type(other) and bool(_equal_texts(one, other) if type(one) is str else one == other)",
        "    return bool(one == other)",
        "expressions/test_cases.py::test_an_expression_means_what_it_means_in_javascript",
    ),
    Mutant(
        "NaN is greater than or equal",
        "expressions/operators.py",
        "return None if math.isnan(left) or math.isnan(right) else left < right",
        "return left < right",
        "expressions/test_cases.py::test_an_expression_means_what_it_means_in_javascript",
    ),
    Mutant(
        "places count characters, not code units",
        "expressions/texts.py",
        "    return len(_encoded(text)) // _UNIT_BYTES if wide(text) else len(text)",
        "    return len(text)",
        "expressions/test_cases.py::test_an_expression_means_what_it_means_in_javascript",
    ),
    Mutant(
        "a rendered value is rendered again",
        "expressions/language.py",
        "        wrote(text)\n        return text\n",
        "        wrote(text)\n        from perdure.expressions.templates import value_of\n"
        '        return compile_value(value_of(text, "{{")).evaluate(scope) if "{{" in text else text\n',
        "expressions/test_data_stays_data.py::test_data_comes_out_as_it_went_in",
    ),
    Mutant(
        "a secret is shown",
        "expressions/sealing.py",
        'MASK = "***"',
        'MASK = "secret"',
        "expressions/test_templates.py::test_a_secret_is_sealed_alone_or_in_text",
    ),
    Mutant(
        "a secret can be compared",
        "expressions/sealing.py",
        "        if found is not None:\n            raise",
        "        if False:\n            raise",
        "expressions/test_templates.py::test_a_secret_cannot_be_looked_into",
    ),
    Mutant(
        "a secret can be a key",
        "expressions/language.py",
        "            if mention(self._ready[source].node) is not None:",
        "            if False:",
        "expressions/test_templates.py::test_a_secret_cannot_be_a_key",
    ),
    Mutant(
        "a secret can be anywhere",
        "core/program.py",
        "if compiled.has_secrets and not seals:",
        "if False:",
        "core/test_tasks.py::test_a_secret_may_only_stand_in_the_input_of_a_task",
    ),
    Mutant(
        "the values of many expressions have no bound",
        "expressions/effort.py",
        "    if left[1] < 0:",
        "    if False:",
        "expressions/test_bounds.py::test_the_expressions_of_a_value_share_a_bound",
    ),
    Mutant(
        "an inner expression begins at the top again",
        "expressions/parse.py",
        "return reader.read(depth), reader.size",
        "return reader.read(0), reader.size",
        "expressions/test_cases.py::test_an_expression_means_what_the_specification_says",
    ),
    Mutant(
        "a property that may be missing is sure",
        "expressions/inference.py",
        "sure = of.sure and isinstance(required, list) and name in required",
        "sure = of.sure",
        "expressions/test_inference.py::test_a_type_is_told_as_far_as_it_goes",
    ),
    Mutant(
        "a part keeps what held of the whole array",
        "expressions/inference.py",
        '    if _kind(schema) != "array" or "prefixItems" in schema or',
        '    if _kind(schema) != "array" or',
        "expressions/test_inference.py::test_a_type_is_told_as_far_as_it_goes",
    ),
    Mutant(
        "a number is looked up by how it is written",
        "expressions/keys.py",
        '_short(f"text {text}" if math.isnan(number) else f"number {numbers.to_text(number)}")',
        '_short(f"text {text}")',
        "expressions/test_keys.py::test_what_is_equal_has_the_same_key",
    ),
    Mutant(
        "a ref that leads nowhere is dropped",
        "expressions/refs.py",
        "        return Constant(ref.text)",
        '        return Constant("")',
        "expressions/test_refs.py::test_refs_in_a_document_are_values_or_text",
    ),
    Mutant(
        "a parameter is told as unknown",
        "expressions/walk.py",
        "if name not in local and name not in _ALWAYS_THERE:",
        "if name not in _ALWAYS_THERE:",
        "expressions/test_roots.py::test_what_is_there_is_not_told",
    ),
    Mutant(
        "a filter by text sees nothing",
        "expressions/piping.py",
        "if truthy(call(item, number, items))]\n\n\ndef _filter_by",
        "if call(item, number, items) is None]\n\n\ndef _filter_by",
        "expressions/test_cases.py::test_an_expression_means_what_the_specification_says",
    ),
    Mutant(
        "a backslash does not make a template literal",
        "expressions/scanner.py",
        'if found.group().startswith("\\\\"):',
        "if False:",
        "expressions/test_templates.py::test_a_backslash_makes_a_template_literal",
    ),
    Mutant(
        "braces in a text end a template",
        "expressions/scanner.py",
        '        elif mark in "\'\\"":\n            at = _end_of_text(text, at, mark, limit)\n',
        "",
        "expressions/test_templates.py::test_texts_and_braces_inside_of_an_expression_do_not_end_it",
    ),
    Mutant(
        "an expression reads more than it says",
        "expressions/walk.py",
        "        found |= reads(child, inside)",
        "        pass",
        "expressions/test_templates.py::test_it_is_known_before_what_an_expression_reads",
    ),
    Mutant(
        "one side of an or is a key",
        "expressions/keys.py",
        'operator="&&"',
        'operator="||"',
        "expressions/test_keys.py::test_only_what_must_be_equal_and_does_not_change_is_a_key",
    ),
    Mutant(
        "what changes is a key",
        "expressions/keys.py",
        "all(root[0] in IMMUTABLE for root in read)",
        "True",
        "expressions/test_keys.py::test_only_what_must_be_equal_and_does_not_change_is_a_key",
    ),
)


SCHEDULES = (
    Mutant(
        "a schedule is fired also from where it does not stand any more",
        "store/sql/schedules.sql",
        "AND digest = ?5 AND next_at = ?6 AND paused = 0",
        "AND digest = ?5 AND next_at >= ?6 AND paused = 0",
        "store/test_schedules.py::test_who_comes_second_starts_nothing",
    ),
    Mutant(
        "a slot is dealt with before its time",
        "core/schedules.py",
        "    if place > now:",
        "    if place > now + 1:",
        "core/test_schedules.py::test_a_slot_that_is_on_time_starts_one_whatever_the_policy",
    ),
    Mutant(
        "a time that the clock shows twice comes twice",
        "model/cron.py",
        "        if at > after:",
        "        if at != after:",
        "core/test_schedules.py::test_a_time_that_the_clock_shows_twice_comes_once",
    ),
    Mutant(
        "what runs through does not mind that the clock is changed",
        "model/cron.py",
        "        if change is not None:",
        "        if change is not None and change < 0:",
        "core/test_schedules.py::test_what_runs_through_runs_through",
    ),
    Mutant(
        "a new version forgets where an unchanged schedule stood",
        "store/schedules.py",
        "return replace(there, digest=digest)",
        "return replace(there, digest=digest, next_at=next_slot(schedule, at))",
        "schedules/test_scenarios.py::test_an_unchanged_schedule_makes_up_for_downtime_also_in_a_new_version",
    ),
    Mutant(
        "what is named by its slot is named by when it was fired",
        "runtime/scheduling.py",
        "named = (row.organization, row.workflow, schedule.id, slot)",
        "named = (row.organization, row.workflow, schedule.id, now)",
        "schedules/test_scenarios.py::test_after_downtime_all_are_started_in_chunks",
    ),
)

DISK = (
    Mutant(
        "a commit is answered before it is synced",
        "store/sqlite/database.py",
        "PRAGMA synchronous = FULL",
        "PRAGMA synchronous = NORMAL",
        "disk/test_power_loss.py::test_what_was_acknowledged_is_there_after_a_power_loss",
    ),
    Mutant(
        "a sync that failed is tried again",
        "store/sqlite/errors.py",
        "in _SYNC_FAILED:",
        "in ():",
        "disk/test_faults.py::test_a_checkpoint_whose_sync_fails_is_told",
    ),
    Mutant(
        "a commit is taken back for want of a checkpoint",
        "store/sqlite/database.py",
        "with suppress(Unavailable), translated():",
        "with translated():",
        "disk/test_faults.py::test_the_commit_stands_if_there_is_no_room_for_the_checkpoint_after_it",
    ),
    Mutant(
        "a transaction that could not be rolled back stays open",
        "store/sqlite/database.py",
        "            roll_back(self._connection)\n            self._connection.execute(",
        "            self._connection.execute(",
        "disk/test_faults.py::test_a_transaction_whose_rollback_fails_does_not_hinder_the_next",
    ),
)


SQLITE = (
    Mutant(
        "many that are written together are not fenced",
        "store/sqlite/together.sql",
        "WHERE changes() <> json_array_length(NEW.loud);",
        "WHERE 0;",
        "store/test_advancing.py::test_another_worker_is_fenced",
    ),
    Mutant(
        "many that are let go of together have mail",
        "store/sqlite/together.sql",
        "AND NOT (given.release AND executions.mail > 0);",
        "AND NOT (given.release AND executions.mail < 0);",
        "store/test_inbox.py::test_an_owner_does_not_let_go_of_mail_that_it_has_not_seen",
    ),
    Mutant(
        "a step that only adds to the history is not fenced",
        "store/sqlite/together.sql",
        "executions.owner = given.value ->> 1 AND executions.epoch = given.value ->> 2",
        "executions.owner IS NOT NULL",
        "store/test_quietly.py::test_somebody_else_is_fenced",
    ),
    Mutant(
        "a step that only adds to the history is not fenced, alone",
        "store/sqlite/queries.sql",
        "SELECT eid, owner FROM executions WHERE id = ? AND owner = ? AND epoch = ? AND (",
        "SELECT eid, owner FROM executions WHERE id = ? AND ? IS NOT NULL AND epoch = ? AND (",
        "store/test_quietly.py::test_somebody_else_is_fenced",
    ),
    Mutant(
        "whoever holds its turn does not look whether anybody asks",
        "store/sqlite/turns.py",
        "if self._is_mine and self._asked[0]:",
        "if False:",
        "store/test_turns.py::test_a_turn_that_is_held_lasts_until_somebody_asks_for_one",
    ),
    Mutant(
        "the innocent have their last chance beside the killer",
        "store/sql/claiming.py",
        'self._sql.one("holds_suspect", (worker, p.last_chance(self.crashes_max))) is not None',
        "False",
        "store/test_claiming.py::test_suspects_have_a_worker_one_at_a_time",
    ),
    Mutant(
        "what cannot be read is claimed again and again",
        "store/sql/aside.py",
        "[what] = self._seconds() + ASIDE_SECONDS",
        "[what] = self._seconds()",
        "store/test_pace.py::test_what_cannot_be_read_does_not_stir_until_it_is_tried_again",
    ),
    Mutant(
        "whoever's lock was removed is dead",
        "store/sqlite/locks.py",
        "except FileNotFoundError:\n            return None",
        "except FileNotFoundError:\n            return False",
        "store/test_living.py::test_a_worker_whose_lock_somebody_has_removed_lives_on",
    ),
    Mutant(
        "a worker that has died is remembered for ever",
        "store/sql/claiming.py",
        "            self._sweeps = True\n            self._presence.cut_off()\n",
        "            self._presence.cut_off()\n",
        "store/test_living.py::test_a_worker_that_died_and_held_nothing_is_forgotten",
    ),
    Mutant(
        "the time of day says how often it is looked",
        "store/sql/claiming.py",
        "        seconds, due_until = self._seconds(), now",
        "        seconds, due_until = now / 1_000, now",
        "store/test_pace.py::test_what_another_process_writes_is_seen_soon_whatever_the_time_of_day",
    ),
    Mutant(
        "what waits for a task is offered to anybody",
        "store/sqlite/queries.sql",
        "ready = (mail > 0 OR NOT ?4)",
        "ready = (1 OR ?4)",
        "store/test_missing_tasks.py::test_it_goes_to_a_worker_that_has_the_task_and_to_nobody_else",
    ),
    Mutant(
        "what was claimed was never called, for ever",
        "store/sqlite/queries.sql",
        "DELETE FROM uncalled WHERE eid IN (SELECT value FROM json_each(?)) RETURNING eid, op, task;",
        "SELECT eid, op, task FROM uncalled WHERE eid IN (SELECT value FROM json_each(?));",
        "store/test_missing_tasks.py::test_what_was_claimed_may_have_been_called",
    ),
    Mutant(
        "what a worker hands over is taken up by nobody",
        "store/sqlite/queries.sql",
        "ready = (mail > 0 OR NOT ?4)",
        "ready = (ready AND NOT ?4)",
        "hosts/test_embedded.py::test_what_was_stopped_goes_on_where_it_was",
    ),
)


CALLS, SIGNED = "vault/test_calls.py", "webhooks/test_signatures.py"
SECRETS = (
    Mutant(
        "what a task answers keeps its secrets",
        "hosts/performing.py",
        "answer = await run_by_size(size, partial(without_secrets, answer, redactor))\n",
        "pass\n",
        f"{CALLS}::test_results_ports_and_meta_are_without_secrets[memory]",
    ),
    Mutant(
        "a text is searched for secrets after it was cut",
        "tasks/failing.py",
        "_head(hide(_told(exception, name)), MESSAGE_LENGTH_MAX)",
        "hide(_head(_told(exception, name), MESSAGE_LENGTH_MAX))",
        f"{CALLS}::test_errors_are_without_secrets_also_where_their_text_is_cut[memory]",
    ),
    Mutant(
        "parts keep their secrets",
        "hosts/performing.py",
        "            value = await run_by_size(len(msgspec.json.encode(value)), partial(redactor.value, value))\n",
        "            pass\n",
        f"{CALLS}::test_checkpoints_and_what_is_published_are_without_secrets[memory]",
    ),
    Mutant(
        "a part whose name has a secret is another one in the next attempt",
        "tasks/checkpoints.py",
        "name = hidden(name)",
        "name = str(name)",
        f"{CALLS}::test_checkpoints_and_what_is_published_are_without_secrets[memory]",
    ),
    Mutant(
        "only our own logger hides secrets",
        "tasks/logged.py",
        "logging.getLogger(name).addFilter(_HIDE)",
        'logging.getLogger("perdure.tasks").addFilter(_HIDE)',
        "vault/test_redaction.py::test_whatever_is_logged_within_a_call_is_without_its_secrets",
    ),
    Mutant(
        "a secret opens in any organization",
        "hosts/envelopes.py",
        '["perdure", kind, organization, name]',
        '["perdure", kind, name]',
        "vault/test_secrets.py::test_a_value_that_was_moved_to_another_card_does_not_open[memory]",
    ),
    Mutant(
        "secrets of all organizations are one",
        "hosts/vault.py",
        "card = store.card(organization, REGISTER, of)",
        "card = store.card_anywhere(REGISTER, of)",
        "vault/test_secrets.py::test_secrets_of_another_organization_do_not_exist[memory]",
    ),
    Mutant(
        "rotation overwrites what was set meanwhile",
        "service/secrets.py",
        "                card.revision,\n",
        "                None,\n",
        "vault/test_keys.py::test_what_is_set_while_keys_are_rotated_is_not_overwritten[sqlite]",
    ),
    Mutant(
        "a webhook takes what was signed at any time",
        "service/signatures.py",
        "> tolerance_seconds:",
        "> tolerance_seconds * 10_000:",
        f"{SIGNED}::test_what_was_signed_long_ago_or_in_the_future_is_refused",
    ),
    Mutant(
        "a webhook takes what is not signed at all",
        "service/signatures.py",
        "if not any(fits):",
        "if fits and not any(fits):",
        f"{SIGNED}::test_whatever_is_changed_in_the_headers_is_refused",
    ),
    Mutant(
        "a token that was changed counts for ever",
        "service/hooks.py",
        "return until is None or at < until",
        "return True",
        "webhooks/test_webhooks.py::test_an_unknown_a_removed_and_an_expired_token_are_told_the_same[memory]",
    ),
)


FITS = "service/test_inputs.py::test_"
INPUTS = (
    Mutant(
        "an event starts what it does not fit",
        "runtime/routing.py",
        "misfit = unfit(program, start.input)",
        "misfit = unfit(program, start.input) if number < 0 else None",
        f"{FITS}an_event_that_brings_what_does_not_fit_is_declined_and_says_why[memory]",
    ),
    Mutant(
        "a child begins with whatever it is given",
        "runtime/held.py",
        "else unfit(self.program, self.start.input)",
        "else (None if unfit else None)",
        f"{FITS}a_child_that_cannot_begin_is_there_and_its_parent_is_told[memory]",
    ),
    Mutant(
        "a rerun begins with what it had, whatever that was",
        "service/execution.py",
        "await self._refuse_misfit(record, start.input)",
        "pass",
        f"{FITS}a_child_that_cannot_begin_is_there_and_its_parent_is_told[memory]",
    ),
    Mutant(
        "patterns may look ahead",
        "schemas/checker.py",
        "pattern_options=_PATTERNS, ",
        "",
        "schemas/test_schemas.py::test_patterns_that_cannot_be_matched_in_linear_time_are_told_why",
    ),
    Mutant(
        "formats are not looked at",
        "schemas/checker.py",
        "validate_formats=True",
        "validate_formats=False",
        "schemas/test_schemas.py::test_what_does_not_fit_is_told_with_its_place_and_what_was_expected",
    ),
    Mutant(
        "what is in place is counted once, however often it is looked at",
        "schemas/effort.py",
        "count += node.times * sum(counts[number] for number in node.in_place)",
        "count += node.times * max((counts[number] for number in node.in_place), default=0)",
        "schemas/test_hostile.py::test_what_leads_to_twice_as_much_each_time_is_no_schema_that_can_be_used",
    ),
    Mutant(
        "a reference means the first that goes by its name",
        "schemas/graph.py",
        "return list({id(each): each for each in found}.values())",
        "return list({id(each): each for each in found}.values())[:1]",
        "schemas/test_hostile.py::test_an_anchor_that_is_only_a_value_does_not_hide_what_a_reference_leads_to",
    ),
)


ACTORS = (
    Mutant(
        "a member of another organization is believed",
        "service/acting.py",
        "if member is not None and member.organization != organization:",
        "if member is not None and not member.organization:",
        "service/test_actors.py::test_who_is_no_member_or_one_of_another_organization_may_nothing",
    ),
    Mutant(
        "an operator runs what nobody has saved",
        "service/executions.py",
        "is_saved=ref is not None",
        "is_saved=True",
        "service/test_actors.py::test_who_has_no_role_for_it_is_told_who_may_and_changes_nothing",
    ),
    Mutant(
        "who changes what a fork is about may decide about it",
        "core/folding/whole.py",
        "by=state.by if fact.by is None else fact.by,",
        "by=state.by,",
        "core/test_starting_others.py::test_a_fork_is_of_who_started_its_origin_or_of_who_has_changed_it",
    ),
    Mutant(
        "what is sent again is in the audit twice",
        "store/sql/commits.py",
        "if isinstance(sent, p.Committed):",
        "if not isinstance(sent, p.Refused):",
        "store/test_audited.py::test_what_an_execution_is_told_is_in_the_audit_with_it",
    ),
    Mutant(
        "a version is saved by who lost their role meanwhile",
        "store/sql/versions.py",
        "return None if why is None else NotAllowed(why)",
        "return None",
        "store/test_audited.py::test_who_is_not_any_more_who_they_were_changes_nothing",
    ),
)


@pytest.mark.parametrize(
    "mutant",
    [*CORE, *ENGINE, *EXPRESSIONS, *SQLITE, *SCHEDULES, *DISK, *SECRETS, *INPUTS, *ACTORS],
    ids=lambda mutant: mutant.name,
)
def test_a_change_for_the_worse_is_caught(mutant: Mutant, tmp_path: Path) -> None:
    text = (ROOT / "src" / "perdure" / mutant.file).read_text()
    assert text.count(mutant.old) == 1, f"{mutant.file} no longer holds {mutant.old!r} once"
    _linked(ROOT / "src" / "perdure", tmp_path / "perdure", Path(mutant.file).parts)
    (tmp_path / "perdure" / mutant.file).write_text(text.replace(mutant.old, mutant.new))
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", f"tests/{mutant.test}"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # they take longer to load than most of the tests to run
    environment.pop("COVERAGE_PROCESS_START", None)
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1, done.stdout[-2_000:] + done.stderr[-2_000:]
    assert " failed" in done.stdout or " error" in done.stdout, done.stdout[-2_000:]


def _linked(origin: Path, copy: Path, but: tuple[str, ...]) -> None:
    """All that is in a folder, by links, but for the file that this path leads to."""
    copy.mkdir()
    for each in origin.iterdir():
        if each.name != but[0]:
            (copy / each.name).symlink_to(each)
    if but[1:]:
        _linked(origin / but[0], copy / but[0], but[1:])


def test_there_are_enough_of_them() -> None:
    assert len(CORE) >= 12
    assert len(EXPRESSIONS) >= 12
