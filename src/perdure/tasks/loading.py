"""The tasks of modules that are given by `--tasks`, as FILE.py or by name. Whatever is wrong with one is told with its place."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import traceback
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType

from perdure.errors import PerdureError
from perdure.ids import derived
from perdure.tasks.declaring import Declaration, notes
from perdure.tasks.registry import InvalidTask, Registry

_HOW = 'write @task("name") or @node("TYPE") of `from perdure import task, node` above a function'


class TaskModuleError(PerdureError, code="task_module_error"):
    """Tasks cannot be loaded. `file` and `line` say where it went wrong, as far as is known."""

    def __init__(self, message: str, file: str, line: int | None = None) -> None:
        self.file, self.line = file, line
        super().__init__(f"{file}{'' if line is None else f':{line}'}: {message}")


def load_all(sources: Iterable[str | Path]) -> Registry:
    """The tasks of several modules together. A name that two of them have is an error: which one ran would be chance."""
    together = Registry()
    for source in sources:
        try:
            together.include(load(source))
        except InvalidTask as error:
            raise TaskModuleError(str(error), str(source)) from error
    return together


def load(source: str | Path) -> Registry:
    """The tasks of a file or a module: its own, those of modules within it, and those it imports by name.

    As with `python FILE` and `python -m module`, what lies beside the file or in the current directory can be imported.
    """
    text = str(source)
    is_file = isinstance(source, Path) or text.endswith(".py") or "/" in text or "\\" in text
    module = _file(Path(source).resolve(), text) if is_file else _module(text)
    # What the module defines itself is noted twice, on the function and in the module.
    unique = {(each.connection, each.name, id(each.function)): each for each in _declarations(module)}
    if not unique:
        raise TaskModuleError(f"it declares no task; {_HOW}", text)
    registry = Registry()
    for each in unique.values():
        try:
            registry.add(each.described())
        except InvalidTask as error:
            raise _refused(error, each, module, text) from error
    return registry


def _refused(error: InvalidTask, declaration: Declaration, module: ModuleType, said: str) -> TaskModuleError:
    code = getattr(declaration.function, "__code__", None)
    if code is None:
        return TaskModuleError(str(error), said)
    file = said if code.co_filename == module.__file__ else code.co_filename
    return TaskModuleError(str(error), file, code.co_firstlineno)


def _declarations(module: ModuleType) -> Iterator[Declaration]:
    within = [each for name, each in sorted(sys.modules.items()) if name.startswith(f"{module.__name__}.")]
    for each in (module, *within):
        yield from notes(each)
        for value in tuple(vars(each).values()):
            if callable(value) and not isinstance(value, type):
                yield from notes(value)


def _file(path: Path, said: str) -> ModuleType:
    # The stem alone could be the name of another module: a file of tasks may well be called email.py.
    name = f"{path.stem}_{derived(str(path))[:8]}"
    if name in sys.modules:
        return sys.modules[name]
    if path.is_dir():
        raise TaskModuleError("this is a directory; give a file in it, FILE.py, or the name of a package", said)
    if not path.is_file():
        raise TaskModuleError("there is no such file to load tasks from", said)
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise TaskModuleError("it is not a Python file; tasks are loaded from FILE.py or from a module", said)
    _importable(path.parent)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        sys.modules.pop(name, None)  # it is not half remembered
        if isinstance(error, Exception | SystemExit):
            raise _broken(error, said, str(path)) from error
        raise
    return module


def _module(name: str) -> ModuleType:
    _importable(Path.cwd())
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{name}.".startswith(f"{error.name}."):
            raise TaskModuleError(
                "there is no such module; give FILE.py, or a module that can be imported from here", name
            ) from error
        raise _broken(error, name) from error
    except (Exception, SystemExit) as error:
        raise _broken(error, name) from error


def _importable(folder: Path) -> None:
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


def _broken(error: BaseException, said: str, path: str | None = None) -> TaskModuleError:
    """What the module raised, at the line of its own that led to it."""
    if isinstance(error, SyntaxError) and error.filename is not None:
        file = said if error.filename == path else error.filename
        return TaskModuleError(f"this is not Python: {error.msg}", file, error.lineno)
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if isinstance(error, SystemExit):
        what = "it asked the program to exit; a module of tasks only defines them"
    frames = [each for each in traceback.extract_tb(error.__traceback__) if not each.filename.startswith("<frozen")]
    inside = [each for each in frames if each.filename == path] if path is not None else frames[1:]
    if not inside:
        return TaskModuleError(f"it cannot be loaded: {what}", said)
    place = inside[-1]
    return TaskModuleError(f"it cannot be loaded: {what}", said if path is not None else place.filename, place.lineno)
