"""How much is measured. The parts are what `--only` names."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from perdure.bench.peers.running import PEERS, Peer

PARTS = ("limits", "sequences", "parallel", "each", "loop", "documents", "serial", "dbos", "langgraph")


class Plan(Struct, frozen=True):
    """Machines are noisy: the peers and ours take turns, `rounds` times, and medians count.

    A run goes on after its seconds until all that was begun has ended: with a peer, that is about twice as long.
    """

    quick: bool = False
    concurrency: int = 200
    seconds: float = 2.5
    peer_seconds: float = 4.0
    rounds: int = 3
    beside_seconds_max: float = 140
    """On a busy machine there are fewer rounds, so that the whole is over in time. One there always is."""
    limit_seconds: float = 1.0
    lengths: tuple[int, ...] = (1, 5, 40)
    beside_length: int = 5
    width: int = 20
    items: int = 10_000
    ticks: int = 20_000
    serial_rounds: int = 50
    peers: tuple[Peer, ...] = PEERS


FULL = Plan()
QUICK = Plan(
    quick=True,
    seconds=0.5,
    peer_seconds=0.5,
    rounds=1,
    limit_seconds=0.3,
    items=2_000,
    ticks=500,
    serial_rounds=12,
    peers=tuple(replace(peer, modes=tuple(mode for mode in peer.modes if mode.counts)) for peer in PEERS),
)
