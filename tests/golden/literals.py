"""Resolve expressions of the source to the strings that they can be, without running it.

Constants, conditions, f-strings, entries of dictionaries and parameters, which are looked for at the calls of their
function. What cannot be known is `{}`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import TypeAlias

UNKNOWN = "{}"
Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


class Sources:
    def __init__(self, trees: list[tuple[Path, ast.Module]]) -> None:
        self._within: dict[ast.AST, ast.AST] = {}
        self._constants: dict[tuple[ast.AST, str], list[ast.expr]] = {}
        self._everywhere: dict[str, list[ast.expr]] = {}
        self._calls: dict[str, list[ast.Call]] = {}
        for _, tree in trees:
            for node in ast.walk(tree):
                self._note(node)

    def _note(self, node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            self._within[child] = node
        if isinstance(node, ast.Call):
            self._calls.setdefault(name_of_call(node), []).append(node)
        for name, value in _assigned(node):
            scope = self._scope(node)
            self._constants.setdefault((scope, name), []).append(value)
            if not isinstance(scope, Function):
                self._everywhere.setdefault(name, []).append(value)

    def calls(self, *names: str) -> Iterator[ast.Call]:
        for name in names:
            yield from self._calls.get(name, ())

    def all_calls(self) -> Iterator[ast.Call]:
        for calls in self._calls.values():
            yield from calls

    def resolve(self, node: ast.expr | None, seen: frozenset[ast.AST] = frozenset()) -> set[str]:
        """Return the strings that an expression can be, `{}` in place of what is unknown."""
        if node is None or node in seen:
            return set()
        seen |= {node}
        match node:
            case ast.Constant(value=str(text)):
                return {text}
            case ast.Constant():
                return set()
            case ast.IfExp(body=body, orelse=other):
                return self.resolve(body, seen) | self.resolve(other, seen)
            case ast.BoolOp(values=values):
                return self._all(values, seen)
            case ast.NamedExpr(value=value) | ast.FormattedValue(value=value):
                return self.resolve(value, seen) or {UNKNOWN}
            case ast.JoinedStr(values=values):
                return {
                    "".join(parts) for parts in product(*(self.resolve(part, seen) or {UNKNOWN} for part in values))
                }
            case ast.Subscript(value=value):
                return self._entries(value, seen) or {UNKNOWN}
            case ast.Call(func=ast.Attribute(value=value, attr="get"), args=[_, *default]):
                return (self._entries(value, seen) | self._all(default, seen)) or {UNKNOWN}
            case ast.Name(id=name):
                return self._name(node, name, seen)
            case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name):
                found = [value for value in self._everywhere.get(name, ()) if self._module(value) is self._module(node)]
                return self._all(found, seen) or {UNKNOWN}
            case ast.Attribute(attr=name) if name.isupper():
                return self._all(self._everywhere.get(name, ()), seen) or {UNKNOWN}
            case _:
                return {UNKNOWN}

    def keys(self, node: ast.expr | None, seen: frozenset[ast.AST] = frozenset()) -> set[str]:
        """Return the keys of the dictionaries that an expression can be."""
        if node is None or node in seen:
            return set()
        seen |= {node}
        match node:
            case ast.Dict(keys=keys, values=values):
                spread = [value for key, value in zip(keys, values, strict=True) if key is None]
                own = {key.value for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str)}
                return own.union(*(self.keys(value, seen) for value in spread))
            case ast.IfExp(body=body, orelse=other):
                return self.keys(body, seen) | self.keys(other, seen)
            case ast.BinOp(left=left, right=right):
                return self.keys(left, seen) | self.keys(right, seen)
            case ast.BoolOp(values=values):
                return set[str]().union(*(self.keys(value, seen) for value in values))
            case ast.DictComp(key=ast.Name(), generators=[ast.comprehension(iter=ast.Tuple(elts=names))]):
                return {name.value for name in names if isinstance(name, ast.Constant) and isinstance(name.value, str)}
            case ast.Name(id=name):
                return set[str]().union(*(self.keys(value, seen) for value in self._values(node, name)))
            case _:
                return set()

    def _all(self, nodes: list[ast.expr] | tuple[ast.expr, ...], seen: frozenset[ast.AST]) -> set[str]:
        return set[str]().union(*(self.resolve(node, seen) for node in nodes))

    def _name(self, node: ast.AST, name: str, seen: frozenset[ast.AST]) -> set[str]:
        values = self._values(node, name)
        return self._all(values, seen) if values else {UNKNOWN}

    def _values(self, node: ast.AST, name: str) -> list[ast.expr]:
        """Return what a name stands for here: assigned, passed as an argument, or imported."""
        scope = self._scope(node)
        while not isinstance(scope, ast.Module):
            assigned = self._constants.get((scope, name), [])
            if isinstance(scope, Function) and name in _parameters(scope):
                return [*assigned, *self._passed(scope, name)]
            if assigned:
                return assigned
            scope = self._scope(scope)
        return self._constants.get((scope, name), []) or (
            self._everywhere.get(name, []) if name.strip("_").isupper() else []
        )

    def _passed(self, function: Function, name: str) -> Iterator[ast.expr]:
        owner = self._within.get(function)
        called, names = function.name, [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
        if isinstance(owner, ast.ClassDef):
            names = names[1:]
            called = owner.name if called == "__init__" else called
        yield from _defaults(function, name)
        for call in self._calls.get(called, ()):
            is_private = called.startswith("_") or isinstance(owner, Function)
            if is_private and self._module(call) is not self._module(function):
                continue
            argument = argument_of(call, names.index(name) if name in names else None, name)
            if argument is not None:
                yield argument

    def _entries(self, node: ast.expr, seen: frozenset[ast.AST]) -> set[str]:
        if isinstance(node, ast.Dict):
            return self._all(node.values, seen)
        if isinstance(node, ast.Name):
            values = self._values(node, node.id)
            return set[str]().union(*(self._entries(value, seen) for value in values if isinstance(value, ast.Dict)))
        return set()

    def _scope(self, node: ast.AST) -> ast.AST:
        node = self._within[node]
        while not isinstance(node, Function | ast.ClassDef | ast.Module):
            node = self._within[node]
        return node

    def _module(self, node: ast.AST) -> ast.AST:
        while not isinstance(node, ast.Module):
            node = self._within[node]
        return node


def name_of_call(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def argument_of(call: ast.Call, position: int | None, keyword: str) -> ast.expr | None:
    for each in call.keywords:
        if each.arg == keyword:
            return each.value
    return call.args[position] if position is not None and position < len(call.args) else None


def _assigned(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    match node:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                yield from _paired(target, value)
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            yield name, value


def _paired(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    match target, value:
        case ast.Name(id=name), _:
            yield name, value
        case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
            for each, one in zip(targets, values, strict=True):
                yield from _paired(each, one)
        case ast.Tuple(elts=targets), ast.IfExp(body=body, orelse=other):
            yield from _paired(target, body)
            yield from _paired(target, other)


def _parameters(function: Function) -> set[str]:
    arguments = function.args
    return {each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}


def _defaults(function: Function, name: str) -> Iterator[ast.expr]:
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    with_default = positional[len(positional) - len(arguments.defaults) :]
    for each, default in zip(with_default, arguments.defaults, strict=True):
        if each.arg == name:
            yield default
    for each, given in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if each.arg == name and given is not None:
            yield given
