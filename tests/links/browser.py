"""A real browser, as far as a test needs one: it opens a page, runs a line in it, and takes a picture."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

CHROMIUM: Final = shutil.which("chromium")
OPTIONS: Final = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe")


class Browser:
    """It is spoken to in the protocol of its developer tools, through a pipe."""

    def __init__(self, said: int, heard: int) -> None:
        self._said, self._heard, self._number, self._rest = said, heard, 0, b""
        self._session: str | None = None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.ask("Page.enable")

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._said, json.dumps(message).encode() + b"\0")
        while (found := self._next()).get("id") != self._number:
            pass
        assert "error" not in found, found
        result: dict[str, Any] = found["result"]
        return result

    def open(self, url: str) -> None:
        self.ask("Page.navigate", url=url)
        self.until_loaded()

    def until_loaded(self) -> None:
        while self._next().get("method") != "Page.loadEventFired":
            pass

    def run(self, line: str) -> Any:
        found = self.ask("Runtime.evaluate", expression=line, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def look(self, width: int, height: int, scheme: str, to: Path) -> None:
        """A picture of it."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.ask("Emulation.setDeviceMetricsOverride", **size)
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        to.write_bytes(base64.b64decode(self.ask("Page.captureScreenshot", captureBeyondViewport=True)["data"]))

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            part = os.read(self._heard, 1 << 20)
            assert part, "the browser has ended"
            self._rest += part
        message, _, self._rest = self._rest.partition(b"\0")
        found: dict[str, Any] = json.loads(message)
        return found


@contextlib.contextmanager
def browser(profile: Path) -> Iterator[Browser]:
    assert CHROMIUM is not None
    theirs_in, ours_out = os.pipe()
    ours_in, theirs_out = os.pipe()
    # Chromium reads from 3 and writes to 4.
    command = f'exec "$0" "$@" 3<&{theirs_in} 4>&{theirs_out}'
    started = subprocess.Popen(
        ["/bin/bash", "-c", command, CHROMIUM, *OPTIONS, f"--user-data-dir={profile}"],
        pass_fds=(theirs_in, theirs_out),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(theirs_in)
    os.close(theirs_out)
    try:
        yield Browser(ours_out, ours_in)
    finally:
        started.kill()
        started.wait()
        os.close(ours_out)
        os.close(ours_in)
