"""What is read from files and from the command line: documents, inputs, modules with tasks. What cannot be used is refused, with
the way out, before anything is begun.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from perdure.cli.saying import Refusal, refusal
from perdure.cli.wording import shown, size
from perdure.dialects.reading import BYTES_MAX, BadDocument, read
from perdure.expressions.wording import nearest
from perdure.model.problem import Problem

_EXAMPLE: Final = '{"name": "Ada"}'


def read_bytes(name: str, bytes_max: int = BYTES_MAX) -> bytes:
    """What a file holds. A pipe will do: `perdure run <(make-one)`."""
    path, name = Path(name), shown(name)
    try:
        mode, length = path.stat().st_mode, path.stat().st_size
    except FileNotFoundError as error:
        raise refusal("no_such_file", f"{name}: there is no such file{near(path)}") from error
    except (OSError, ValueError) as error:  # a NUL in the name is a ValueError
        raise refusal("unreadable_file", f"{name} cannot be read: {_why(error)}") from error
    if S_ISDIR(mode):
        raise refusal("is_a_folder", f"{name} is a folder; name a file in it{_example(path)}")
    if S_ISREG(mode) and length > bytes_max:
        raise refusal("too_large", f"{name} has {size(length)}, and {size(bytes_max)} is the most that is read")
    try:
        with path.open("rb") as file:
            held = file.read(bytes_max + 1)
    except OSError as error:
        raise refusal("unreadable_file", f"{name} cannot be read: {_why(error)}") from error
    if len(held) > bytes_max:
        raise refusal("too_large", f"{name} has more than {size(bytes_max)}, which is the most that is read")
    return held


def given_input(given: str | None, option: str = "--input", *, example: str | None = None) -> Any:
    """The value of `--input`, or of another option: JSON, or `@FILE` with JSON in it. With an `example` it is no option, but an
    argument, and `option` what that is.
    """
    if given is None:
        return None
    is_file = given.startswith("@")
    text = read_bytes(given[1:]) if is_file else given.encode(errors="surrogateescape")
    name = given[1:] if is_file else option
    try:
        return read(text).value
    except BadDocument as error:
        typed = f"{option} " if example is None else ""
        as_in = f"{typed}'{example or _EXAMPLE}'"
        hint = "" if is_file else f"; pass JSON, as in {as_in}, or {typed}@FILE{_meant(given, typed)}"
        problems = [_in_input(problem, hint) for problem in error.problems]
        raise Refusal(problems, name, text) from error


def given_values(option: str, of: str, given: tuple[str, ...]) -> dict[str, Any]:
    """The values of an option like `--output STEP=JSON`."""
    found: dict[str, Any] = {}
    for each in given:
        name, sign, text = each.partition("=")
        if not name or not sign:
            raise refusal(
                "invalid_input", f"{option} {shown(each)} is not {of}=JSON, as in {option} 'check={{\"ok\": true}}'"
            )
        try:
            found[name] = msgspec.json.decode(text)
        except msgspec.DecodeError as error:
            message = f"{option} {shown(each)}: what stands after the = is not JSON; {_as_text(option, name, text)}"
            raise refusal("invalid_input", message) from error
    return found


def _as_text(option: str, name: str, text: str) -> str:
    """Most who get here have left out the quotes that a text in JSON has."""
    given = shlex.quote(f"{name}={msgspec.json.encode(text).decode()}")
    return f"if it is a text, write {option} {given}"


def _in_input(problem: Problem, hint: str) -> Problem:
    message = problem.message.replace("the document", "the input")
    return replace(problem, type="invalid_input", field="input", message=f"{message}{hint}")


def _meant(given: str, typed: str) -> str:
    """A file that was named without the @."""
    try:
        return f"; did you mean {typed}@{given}?" if Path(given).is_file() else ""
    except (OSError, ValueError):
        return ""


def near(path: Path) -> str:
    """What was perhaps meant by the name of a file that is not there."""
    folder = path.parent
    if not folder.is_dir():
        return f"; there is no folder {folder} either"
    hint = nearest(path.name, (each.name for each in folder.iterdir() if each.is_file()))
    return hint or ("" if path.is_absolute() else f"; the path is relative to {Path.cwd()}")


def _example(folder: Path) -> str:
    try:
        files = sorted(each for each in folder.iterdir() if each.suffix == ".json")
    except OSError:
        return ""
    return f", {files[0]} say" if files else ""


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
