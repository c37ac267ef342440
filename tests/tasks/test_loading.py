"""Tasks and nodes that modules declare, and how they are loaded."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from perdure.tasks import Registry, Task, TaskModuleError, load, load_all


def found(registry: Registry, name: str, connection: str = "local") -> Task:
    task = registry.find(name, connection)
    assert task is not None
    return task


MODULE = """
from __future__ import annotations
import helpers_of_{unique}
from helpers_of_{unique} import helped
from perdure.tasks import task

@task("late")
def late(input: Later) -> None: ...

@task("shadowed")
def twice(input): return "first"

@task("shadowing")
@task("other", connection="bank", output_schema={{"type": "string"}})
def twice(input): return "second"

class Later:
    __annotations__ = {{"x": int}}

import msgspec
class Later(msgspec.Struct):
    x: int
"""
HELPERS = """
from perdure.tasks import task

@task("helped")
def helped(input): return 1

@task("not imported by name")
def hidden(input): return 2
"""


@pytest.fixture
def module_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    return tmp_path


def test_a_file_gives_the_tasks_it_declares_and_those_it_imports_by_name(module_folder: Path) -> None:
    path = module_folder / "email.py"  # a name that is taken, on purpose
    path.write_text(MODULE.format(unique="file"))
    (module_folder / "helpers_of_file.py").write_text(HELPERS)

    registry = load(str(path))

    assert {(each.connection, each.name) for each in registry} == {
        ("local", "late"),
        ("local", "shadowed"),
        ("local", "shadowing"),
        ("bank", "other"),
        ("local", "helped"),
    }
    assert found(registry, "late").input_schema["$defs"]["Later"]["properties"] == {"x": {"type": "integer"}}
    assert found(registry, "shadowed").function(None) == "first"
    assert found(registry, "other", "bank").output_schema == {"type": "string"}
    assert {each.function for each in load(path)} == {each.function for each in registry}


def test_a_package_gives_the_tasks_of_the_modules_within_it(
    module_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = module_folder / "shop_of_test"
    package.mkdir()
    (package / "__init__.py").write_text("import shop_of_test.orders")
    (package / "orders.py").write_text(HELPERS)
    monkeypatch.chdir(module_folder)

    assert {each.name for each in load("shop_of_test")} == {"helped", "not imported by name"}


def test_nodes_are_declared_as_tasks_are(module_folder: Path) -> None:
    path = module_folder / "nodes_of_test.py"
    path.write_text(
        "from perdure import node, task\n"
        "@node('ENRICH', heartbeat_seconds=5)\nasync def enrich(params): return params.context\n"
        "@node('SCORE')\n@task('score')\ndef score(given): return given\n"
    )
    registry = load(path)
    assert {each.name: (each.kind, each.is_async) for each in registry} == {
        "node:ENRICH": ("node", True),
        "node:SCORE": ("node", False),
        "score": ("task", False),
    }
    assert found(registry, "node:ENRICH").heartbeat_seconds == 5
    again = Registry(registry)
    again.include(load(path))  # the same functions
    assert len(again) == 3


def test_two_modules_with_the_same_name_are_told_apart_by_their_places(module_folder: Path) -> None:
    one, other = module_folder / "one.py", module_folder / "other.py"
    for path in (one, other):
        path.write_text("from perdure import node\n@node('ENRICH')\ndef enrich(params): return params.context\n")
    with pytest.raises(
        TaskModuleError, match=r"node type 'ENRICH' is registered twice: by .*one\.py:2.* by .*other\.py:2"
    ):
        load_all([one, other])
    assert len(load_all([one, one])) == 1


BROKEN = {
    "syntax": ("x = 1\ndef f(:\n", r"syntax\.py:2: this is not Python: "),
    "division": ("x = 1\n\n1 / 0\n", r"division\.py:3: it cannot be loaded: ZeroDivisionError: division by zero"),
    "deep": (
        "def inside():\n    raise OSError('no')\ninside()\n",
        r"deep\.py:2: it cannot be loaded: OSError: no",
    ),
    "missing": (
        "import no_such_module_at_all\n",
        r"missing\.py:1: it cannot be loaded: ModuleNotFoundError: No module named",
    ),
    "exits": ("import sys\nsys.exit(0)\n", r"exits\.py:2: it cannot be loaded: it asked the program to exit"),
    "silent": ("raise KeyError\n", r"silent\.py:1: it cannot be loaded: KeyError$"),
    "nul": ("x = 1\0\n", r"nul\.py.*null bytes"),
    "empty": ("x = 1\n", r"empty\.py: it declares no task; write @task\("),
    "wrong": (
        "from perdure import task\n\n@task('charge')\ndef charge(): ...\n",
        r"wrong\.py:3: task 'charge': .* cannot be called as a task: it takes no argument",
    ),
    "greedy": (
        "from perdure import node\n\n@node('X')\ndef x(params, context): ...\n",
        r"greedy\.py:3: node type 'X': .* cannot be its executor: it demands more than \(params\)",
    ),
    "bare": (
        "from perdure import node\n@node\ndef x(params): ...\n",
        r"bare\.py:2: .*a node needs a type: write @node\(",
    ),
    "twice": (
        "from perdure import task\n@task('a')\ndef one(given): ...\n@task('a')\ndef two(given): ...\n",
        r"twice\.py:4: task 'a' is registered twice: by .*twice\.py:2.* and by .*twice\.py:4",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_wrong_with_a_module_is_told_with_its_place(name: str, module_folder: Path) -> None:
    source, said = BROKEN[name]
    path = module_folder / f"{name}.py"
    path.write_text(source)
    for _ in range(2):  # it was not half remembered
        with pytest.raises(TaskModuleError, match=said) as refused:
            load(path)
        assert refused.value.file == str(path)


def test_a_module_that_breaks_inside_of_another_is_told_with_the_place_of_that(
    module_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (module_folder / "inner_of_test.py").write_text("x = 1\ny = z\n")
    (module_folder / "outer_of_test.py").write_text("import inner_of_test\n")
    (module_folder / "bad_of_test.py").write_text("import worse_of_test\n")
    (module_folder / "worse_of_test.py").write_text("\n\n)")
    monkeypatch.chdir(module_folder)
    with pytest.raises(TaskModuleError, match=r"inner_of_test\.py:2: it cannot be loaded: NameError"):
        load("outer_of_test")
    with pytest.raises(TaskModuleError, match=r"outer_of_test\.py:1: it cannot be loaded: NameError"):
        load("./outer_of_test.py")
    with pytest.raises(TaskModuleError, match=r"worse_of_test\.py:3: this is not Python"):
        load("bad_of_test.py")


def test_what_is_no_module_is_told_in_other_words(module_folder: Path) -> None:
    with pytest.raises(TaskModuleError, match=r"^nowhere/tasks\.py: there is no such file"):
        load("nowhere/tasks.py")
    with pytest.raises(TaskModuleError, match="no_such_module_here: there is no such module; give FILE"):
        load("no_such_module_here")
    with pytest.raises(TaskModuleError, match=r"no_such\.module_here: there is no such module"):
        load("no_such.module_here")
    with pytest.raises(TaskModuleError, match="this is a directory"):
        load(module_folder)
    text = module_folder / "tasks.txt"
    text.write_text("x = 1")
    with pytest.raises(TaskModuleError, match="it is not a Python file"):
        load(text)


def test_a_file_that_is_loaded_while_something_else_is_raised_is_remembered(module_folder: Path) -> None:
    path = module_folder / "calm.py"
    path.write_text("from perdure.tasks import task\n\n@task('t')\ndef t(input): ...\n")
    try:
        int("nothing")
    except ValueError:
        first = found(load(path), "t")
    assert found(load(path), "t").function is first.function


def test_a_file_whose_loading_is_interrupted_is_not_half_remembered(module_folder: Path) -> None:
    path = module_folder / "interrupted.py"
    path.write_text("raise KeyboardInterrupt\n")
    with pytest.raises(KeyboardInterrupt):
        load(path)
    path.write_text("from perdure.tasks import task  # more\n\n@task('t')\ndef t(input): ...\n")
    assert list(load(path).names()) == ["t"]


def test_objects_that_answer_to_every_name_declare_nothing(module_folder: Path) -> None:
    path = module_folder / "everything.py"
    path.write_text(
        "class Everything:\n    def __getattr__(self, name): return self\n    def __call__(self): ...\nx = Everything()\n"
    )
    with pytest.raises(TaskModuleError, match="it declares no task"):
        load(path)
