"""A machine of its own, in a namespace of the kernel: every address there is, is here, and whoever is connected to is counted.

`python -m outbound.world CLIENT FOLDER` prints what was heard, as JSON. Nothing of the process is watched or replaced: the resolver is
that of the system and asks a server here, and the loop is that of `perdure serve`, which opens its sockets in C.
"""

from __future__ import annotations

import asyncio
import json
import socket
import struct
import subprocess
import sys
import threading
from pathlib import Path

import uvloop

from outbound.canary import PUBLIC
from outbound.clients import CLIENTS
from outbound.spellings import harmless, spelled

PORT = 8080
SETUP = """
ip link set lo up
ip route add local 0.0.0.0/0 dev lo
ip -6 route add local ::/0 dev lo
mount --bind {resolver} /etc/resolv.conf
"""
REBINDING = 200
COMMAND = ("unshare", "--user", "--map-root-user", "--net", "--mount")


def main(client: str, folder: Path) -> None:
    resolver = folder / "resolv.conf"
    resolver.write_text("nameserver 127.0.0.53\noptions timeout:1 attempts:1\n")
    subprocess.run(["sh", "-ec", SETUP.format(resolver=resolver)], check=True)
    heard: list[tuple[str, int]] = []
    names: dict[str, int] = {}
    threading.Thread(target=_answer, args=(names,), daemon=True).start()
    for port in (PORT, 80, 443):
        threading.Thread(target=_listen, args=(heard, port), daemon=True).start()
    urls = [
        url
        for url in spelled(PORT)
        if "nip.io" not in url and "localhost" not in url.lower() and url not in harmless(PORT)
    ]
    changing = [f"http://r{number}.rebinding.test:{PORT}/" for number in range(REBINDING)]
    with socket.create_connection(("169.254.169.254", PORT)):
        pass  # it does hear
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        came = runner.run(CLIENTS[client]([*urls, *changing]))
    print(
        json.dumps(
            {
                "urls": len(urls),
                "rebinding": len(changing),
                "names": len(names),
                "refused": sum(each.is_refused for each in came[: len(urls)]),
                "heard": sorted(set(heard)),
            }
        )
    )


def _listen(heard: list[tuple[str, int]], port: int) -> None:
    listening = socket.create_server(("::", port), family=socket.AF_INET6, dualstack_ipv6=True, backlog=1024)
    while True:
        connection, _ = listening.accept()
        heard.append((connection.getsockname()[0].removeprefix("::ffff:"), port))
        connection.close()


def _answer(names: dict[str, int]) -> None:
    """DNS: names under rebinding.test are public when they are first asked for, and loopback ever after, for no time at all.

    All others have one address, that of loopback, behind another name.
    """
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.53", 53))
    while True:
        question, who = server.recvfrom(512)
        end = question.index(b"\0", 12) + 5
        kind = struct.unpack("!H", question[end - 4 : end - 2])[0]
        name = question[12 : end - 5].decode("latin-1")
        answers = []
        if kind == 1:
            names[name] = times = names.get(name, 0) + 1
            address = PUBLIC if "rebinding" in name and times == 1 else "127.0.0.1"
            if "rebinding" not in name:
                answers.append(b"\xc0\x0c" + struct.pack("!HHIH", 5, 1, 0, 3) + b"\x01a\x00")  # CNAME a.
                answers.append(b"\x01a\x00" + struct.pack("!HHIH", 1, 1, 0, 4) + socket.inet_aton(address))
            else:
                answers.append(b"\xc0\x0c" + struct.pack("!HHIH", 1, 1, 0, 4) + socket.inet_aton(address))
        header = question[:2] + struct.pack("!HHHHH", 0x8180, 1, len(answers), 0, 0)
        server.sendto(header + question[12:end] + b"".join(answers), who)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
