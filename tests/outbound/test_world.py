"""The same on a machine whose kernel has every address: whatever opened a socket, in Python or in C, would be heard.

With PERDURE_PATIENCE=1 by every client; without it by two, that of tasks and that of connections.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from outbound.canary import PUBLIC
from outbound.clients import CLIENTS
from outbound.world import COMMAND, REBINDING

PATIENCE = os.environ.get("PERDURE_PATIENCE") == "1"


def may_have_one() -> bool:
    try:
        tried = subprocess.run([*COMMAND, "ip", "link", "set", "lo", "up"], capture_output=True, check=False)
    except FileNotFoundError:
        return False
    return tried.returncode == 0


@pytest.mark.skipif(not may_have_one(), reason="the kernel gives no namespaces to who asks here")
@pytest.mark.parametrize("client", CLIENTS if PATIENCE else ["the task http", "a connection"])
def test_the_kernel_hears_of_public_addresses_only(client: str, tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PERDURE_", "OPENAI_"))}
    environment["PYTHONPATH"] = str(Path(__file__).parents[1])
    command = [*COMMAND, sys.executable, "-m", "outbound.world", client, str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, check=False, env=environment, timeout=240)
    assert ran.returncode == 0, ran.stderr.decode()
    told = json.loads(ran.stdout)
    assert told["refused"] == told["urls"] >= 800
    assert told["names"] >= told["rebinding"] == REBINDING
    # The public one is what the names say that change their mind; the other is the test's own, to see that it is heard.
    assert told["heard"] == [["169.254.169.254", 8080], [PUBLIC, 8080]]
