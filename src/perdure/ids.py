"""Ids that follow from what they name, so that doing a thing twice names the same thing."""

from hashlib import blake2b


def derived(*parts: str | int) -> str:
    """The id of what `parts` brings about: the same parts, the same id, in every process."""
    text = "\x1f".join(str(part) for part in parts)
    return blake2b(text.encode(), digest_size=12).hexdigest()


def fraction(*parts: str | int) -> float:
    """A number in [0, 1) that follows from `parts`: spread without randomness."""
    text = "\x1f".join(str(part) for part in parts)
    return int.from_bytes(blake2b(text.encode(), digest_size=6).digest(), "big") / (1 << 48)
