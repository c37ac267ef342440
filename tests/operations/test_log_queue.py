"""Logs never keep a server waiting: whoever reads them too slowly, or not at all, misses some, and is told how many."""

from __future__ import annotations

import io
import logging
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

from cli.typing import environment
from operations.processes import running
from perdure.cli.logs import logs_printed
from perdure.hosts import log_queue
from perdure.hosts.log_limit import LINES_PER_PERIOD, LogLimit, limited_logs
from perdure.hosts.log_queue import LogQueue, QueuedHandler, queued_streams

SOON = 20
PIPE_BYTES = 65_536
"""What a pipe holds on Linux."""


NOISY_TASKS = """
import logging
from perdure import task
logging.basicConfig(level=logging.INFO)

@task("noisy")
async def noisy(given):
    return given
"""


class Pipe:
    def __init__(self) -> None:
        self.reads, self.writes = os.pipe()
        self.stream = os.fdopen(self.writes, "w")

    def read(self) -> str:
        """All that comes until its end."""
        with os.fdopen(self.reads) as reads:
            return reads.read()


def test_lines_come_in_their_order() -> None:
    pipe = Pipe()
    queue = LogQueue(pipe.stream)
    for number in range(1_000):
        queue.put(f"line {number} \udc00\n")
    queue.close()
    pipe.stream.close()
    assert pipe.read().splitlines() == [f"line {number} \\udc00" for number in range(1_000)]
    assert queue.dropped == 0


def test_a_pipe_that_is_not_read_keeps_nobody_waiting_and_what_is_dropped_is_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(log_queue, "BYTES_MAX", 100_000)
    pipe, line = Pipe(), "x" * 99 + "\n"
    queue = LogQueue(pipe.stream)
    began = time.monotonic()
    for _ in range(10_000):
        queue.put(line)
    assert time.monotonic() - began < SOON
    assert queue.dropped >= 10_000 - (PIPE_BYTES + 100_000 + 2 * log_queue.CHUNK_BYTES) // 100
    found: list[str] = []
    reading = threading.Thread(target=lambda: found.append(pipe.read()))
    reading.start()
    queue.close(SOON)
    pipe.stream.close()
    reading.join(SOON)
    lines = found[0].splitlines()
    assert lines.count("x" * 99) == 10_000 - queue.dropped
    assert (
        lines[-1]
        == f"{queue.dropped} log lines were dropped, because stderr was not read fast enough or could not be written"
    )


def test_a_pipe_that_another_process_has_made_non_blocking_is_waited_for() -> None:
    pipe = Pipe()
    os.set_blocking(pipe.writes, False)
    queue = LogQueue(pipe.stream)
    for number in range(5_000):
        queue.put(f"{number}{'x' * 100}\n")
    found: list[str] = []
    reading = threading.Thread(target=lambda: found.append(pipe.read()))
    reading.start()
    queue.close(SOON)
    pipe.stream.close()
    reading.join(SOON)
    assert found[0].splitlines() == [f"{number}{'x' * 100}" for number in range(5_000)]
    assert queue.dropped == 0


def test_lines_that_cannot_be_written_are_counted_and_reported_after_the_next_that_can() -> None:
    pipe = Pipe()
    kept = os.dup(pipe.writes)
    full = os.open("/dev/full", os.O_WRONLY)
    os.dup2(full, pipe.writes)  # as of a file on a full disk
    queue = LogQueue(pipe.stream)
    for number in range(20):
        queue.put(f"lost {number}\n")
    until = time.monotonic() + SOON
    while queue.dropped < 20 and time.monotonic() < until:
        time.sleep(0.01)
    assert queue.dropped == 20
    os.dup2(kept, pipe.writes)  # there is room again
    queue.put("kept\n")
    queue.close()
    for number in (kept, full):
        os.close(number)
    pipe.stream.close()
    report = "20 log lines were dropped, because stderr was not read fast enough or could not be written"
    assert pipe.read().splitlines() == ["kept", report]


def test_the_end_waits_for_a_pipe_that_is_not_read_only_so_long() -> None:
    pipe = Pipe()
    queue = LogQueue(pipe.stream)
    for _ in range(10):
        queue.put("x" * PIPE_BYTES + "\n")
    began = time.monotonic()
    queue.close(0.2)
    assert time.monotonic() - began < SOON / 2
    os.close(pipe.reads)  # it writes to nobody then, and ends
    queue.close(SOON)
    pipe.stream.close()


def test_a_stream_without_a_file_is_written_too() -> None:
    stream = io.StringIO()
    queue = LogQueue(stream)
    record = logging.LogRecord("somewhere", logging.WARNING, "", 0, "hello %s", ("there",), None)
    QueuedHandler(queue).handle(record)
    queue.close()
    assert stream.getvalue() == "hello there\n"


class Kept(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


def test_of_lines_that_anyone_can_cause_a_minute_has_a_few_and_a_summary() -> None:
    kept = Kept()
    logging.root.addHandler(kept)
    try:
        with limited_logs([kept]):
            for number in range(1_000):
                logging.getLogger("perdure.api").warning("a sign-in from %s was refused", number)
                logging.getLogger("mcp.server.lowlevel").warning("bad message")
                logging.getLogger("perdure.engine").warning("the engine %d", number)
    finally:
        logging.root.removeHandler(kept)
    refused = [line for line in kept.lines if "sign-in" in line]
    assert len(refused) == LINES_PER_PERIOD + 1
    assert refused[-1] == "990 more like this within a minute, the last one: a sign-in from 999 was refused"
    assert sum("bad message" in line for line in kept.lines) == LINES_PER_PERIOD + 1
    assert sum("the engine" in line for line in kept.lines) == 1_000, "only what strangers can cause is limited"


def test_the_next_minute_has_lines_of_its_own() -> None:
    now = 0.0
    limit = LogLimit(60.0, lambda: now)
    record = logging.LogRecord("uvicorn.error", logging.WARNING, "", 0, "Invalid HTTP request received.", (), None)

    def is_written() -> bool:
        return limit.filter(logging.makeLogRecord(record.__dict__))

    assert [is_written() for _ in range(LINES_PER_PERIOD)] == [True] * LINES_PER_PERIOD
    now = 61.0
    assert is_written()
    limit.summarize()


def test_a_summary_comes_by_itself_when_the_minute_is_over() -> None:
    told = threading.Event()

    class Told(Kept):
        def emit(self, record: logging.LogRecord) -> None:
            if "5 more like this" in record.getMessage():
                told.set()

    kept = Told()
    kept.addFilter(LogLimit(0.05))
    logging.root.addHandler(kept)
    try:
        for _ in range(LINES_PER_PERIOD + 5):
            logging.getLogger("uvicorn.error").warning("Invalid HTTP request received.")
        assert told.wait(SOON)
    finally:
        logging.root.removeHandler(kept)


def _malformed(url: str, count: int) -> None:
    place = urlsplit(url)
    for _ in range(count):
        with socket.create_connection((place.hostname, place.port), SOON) as connection:
            connection.sendall(b"\x00\x01 nonsense\r\n\r\n")
            assert connection.recv(100).startswith(b"HTTP/1.1 400")


def test_malformed_requests_of_strangers_are_a_few_lines_and_a_summary(tmp_path: Path) -> None:
    with running(tmp_path, "dev", "--port", "0", "--db", f"sqlite:///{tmp_path}/flows.db") as server:
        url = server.url()
        _malformed(url, 200)
        with httpx2.Client(base_url=url, trust_env=False, timeout=SOON) as client:
            assert client.get("/healthz").status_code == 200
        err = server.end()
    assert err.count("Invalid HTTP request received") == LINES_PER_PERIOD + 1, err
    assert f"{200 - LINES_PER_PERIOD} more like this within a minute" in err


def test_a_server_whose_stderr_is_not_read_goes_on_and_ends_when_it_is_told_to(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "perdure", "dev", "--port", "0", "--db", f"sqlite:///{tmp_path}/flows.db"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env=environment(PERDURE_LOG_LEVEL="info", PERDURE_LOG_FORMAT="json"),
    ) as server:
        assert server.stderr is not None
        try:
            while "perdure on http" not in (said := server.stderr.readline().decode()):
                assert said
            url = said.split("perdure on ")[1].split(",")[0]
            with httpx2.Client(base_url=url, trust_env=False, timeout=SOON) as client:
                for _ in range(2_000):  # each of them is a line of some 200 bytes
                    assert client.get("/healthz").status_code == 200
            server.send_signal(signal.SIGTERM)
            assert server.wait(SOON) == 0
        finally:
            server.kill()
        assert len(server.stderr.read()) >= PIPE_BYTES * 3 // 4, (
            "it was full: a line that does not fit leaves the rest of a page free"
        )


def test_lines_that_other_libraries_build_are_limited_by_their_place() -> None:
    limit = LogLimit(period_seconds=3_600)
    places = [
        logging.LogRecord("asyncio", logging.ERROR, "base_events.py", 1, f"task {n} failed", (), None)
        for n in range(1_000)
    ]
    assert sum(limit.filter(record) for record in places) == LINES_PER_PERIOD
    assert len(limit._kinds) == 1
    limit.summarize()


def test_any_object_can_be_logged_and_arguments_that_do_not_fit_spoil_no_summary() -> None:
    written = io.StringIO()
    handler, loggers = logging.StreamHandler(written), [logging.getLogger(name) for name in ("a.task", "perdure.api")]
    raises, logging.raiseExceptions = logging.raiseExceptions, False
    for logger in loggers:
        logger.addHandler(handler)
        logger.propagate = False
    try:
        with limited_logs([handler]):
            loggers[0].warning({"a": 1})
            for _ in range(LINES_PER_PERIOD + 2):
                loggers[1].warning("%d items", "many")
        assert handler.filters == []
    finally:
        logging.raiseExceptions = raises
        for logger in loggers:
            logger.removeHandler(handler)
            logger.propagate = True
    assert written.getvalue() == "{'a': 1}\n2 more like this within a minute, the last one: '%d items'\n"


def test_the_limit_leaves_no_field_of_its_own_in_records() -> None:
    fields: set[str] = set()

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            fields.update(vars(record))

    kept, usual = Handler(), vars(logging.makeLogRecord({}))
    logging.root.addHandler(kept)
    try:
        with limited_logs([kept]):
            for _ in range(LINES_PER_PERIOD + 2):
                logging.getLogger("perdure.api").warning("a sign-in was refused")
    finally:
        logging.root.removeHandler(kept)
    assert fields
    assert fields <= {*usual, "message", "asctime"}


def test_handlers_that_a_module_has_made_write_by_the_queue_with_their_formatter() -> None:
    pipe, logger = Pipe(), logging.getLogger("a.module")
    made = logging.StreamHandler(sys.stderr)
    made.setFormatter(logging.Formatter("%(levelname)s said %(message)s"))
    kept = logging.StreamHandler(io.StringIO())
    logger.handlers[:], logger.propagate = [made, kept], False
    queue = LogQueue(pipe.stream)
    try:
        with queued_streams(queue):
            logger.warning("one")
        assert "emit" not in vars(made)
        queue.close()
        pipe.stream.close()
        assert pipe.read() == "WARNING said one\n"
        assert kept.stream.getvalue() == "one\n"
    finally:
        logger.handlers.clear()
        logger.propagate = True


def test_a_record_whose_arguments_do_not_fit_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    pipe = Pipe()
    queue = LogQueue(pipe.stream)
    QueuedHandler(queue).handle(logging.LogRecord("a.b", logging.INFO, "/x.py", 7, "%d items", ("many",), None))
    queue.close()
    pipe.stream.close()
    assert pipe.read() == "log record that cannot be formatted (TypeError): a.b /x.py:7 '%d items'\n"
    assert capsys.readouterr().err == ""


def test_a_server_goes_on_whose_tasks_configure_logging_and_whose_stderr_is_not_read(tmp_path: Path) -> None:
    tasks = tmp_path / "noisy.py"
    tasks.write_text(NOISY_TASKS)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "perdure", "dev", "--port", str(port), "--db", f"sqlite:///{tmp_path}/flows.db"]
    with subprocess.Popen(
        [*command, "--no-examples", "--tasks", str(tasks)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**environment(), "PERDURE_LOG_LEVEL": "info"},
    ) as server:
        try:
            with httpx2.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=SOON) as client:
                end = time.monotonic() + SOON
                while True:
                    try:
                        client.get("/healthz")
                        break
                    except httpx2.TransportError:
                        assert time.monotonic() < end
                        time.sleep(0.1)
                for _ in range(1_500):  # each is a line of 60 bytes or more
                    assert client.get("/healthz").status_code == 200
        finally:
            server.kill()


CHATTY_TASKS = """
import logging, sys
from perdure import task
logging.basicConfig(level=logging.INFO, stream=sys.stdout)

@task("chatty")
async def chatty(given):
    for _ in range(6_000):
        logging.getLogger("chatty").info("x" * 1_000)
    return given
"""
CHATTY = {"steps": [{"stepSlug": "talk", "stepType": "action", "config": {"type": "chatty"}}], "name": "chatty"}


def test_lines_that_are_dropped_from_stdout_are_in_the_metrics(tmp_path: Path) -> None:
    tasks = tmp_path / "chatty.py"
    tasks.write_text(CHATTY_TASKS)
    command = [sys.executable, "-m", "perdure", "dev", "--port", "0", "--db", f"sqlite:///{tmp_path}/flows.db"]
    with subprocess.Popen(
        [*command, "--no-examples", "--tasks", str(tasks)],
        stdout=subprocess.PIPE,  # and nobody reads it
        stderr=subprocess.PIPE,
        env=environment(),
    ) as server:
        try:
            assert server.stderr is not None
            while "perdure on http" not in (said := server.stderr.readline().decode()):
                assert said
            url = said.split("perdure on ")[1].split(",")[0]
            with httpx2.Client(base_url=url, trust_env=False, timeout=SOON) as client:
                started = client.post("/api/executions", json={"document": CHATTY})
                assert started.status_code == 201, started.text
                client.get(f"/api/executions/{started.json()['id']}?wait=20&until=ended")
                found = re.search(r"^perdure_log_lines_dropped_total (\S+)$", client.get("/metrics").text, re.MULTILINE)
                assert found is not None
                assert float(found[1]) > 1_000
        finally:
            server.kill()


def test_warnings_of_python_are_logged(caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        with logs_printed():
            warnings.warn("old", DeprecationWarning, stacklevel=1)
    assert "DeprecationWarning: old" in caplog.text
    assert capsys.readouterr().err == ""
