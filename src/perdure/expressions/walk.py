"""Going through the tree of an expression: what is inside of it, and what it reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from perdure.expressions import tree as t
from perdure.expressions.piping import PIPES
from perdure.expressions.protocol import Path


def unspread(item: t.Argument) -> t.Node | t.Arrow | t.ForItem:
    return item.of if isinstance(item, t.Spread) else item


def children(node: t.Argument) -> Iterator[t.Argument]:
    match node:
        case t.Literal() | t.Name():
            return
        case t.Member(of=of) | t.Unary(of=of) | t.Spread(of=of):
            yield of
        case t.Index(of=of, key=key):
            yield from (of, key)
        case t.Call(of=of, arguments=given) | t.Pipe(of=of, arguments=given):
            yield from (of, *given)
        case t.Function(arguments=given):
            yield from given
        case t.Binary(left=left, right=right) | t.Logical(left=left, right=right):
            yield from (left, right)
        case t.Choice(test=test, yes=yes, no=no):
            yield from (test, yes, no)
        case t.ArrayOf(items=items):
            yield from map(unspread, items)
        case t.ObjectOf(entries=entries):
            for entry in entries:
                yield from (entry.of,) if isinstance(entry, t.Spread) else entry
        case t.TextOf(parts=parts) | t.Template(parts=parts):
            yield from parts
        case t.Arrow(body=body) | t.ForItem(body=body):
            yield body
        case _:
            assert_never(node)


def reads(node: t.Argument, local: frozenset[str] = frozenset()) -> frozenset[Path]:
    """Every path of the scope that it may look at; parameters of arrow functions are not of the scope."""
    path = path_of(node) if isinstance(node, t.Name | t.Member | t.Index) else None
    if path is not None:
        return frozenset() if path[0] in local else frozenset({("now",) if path[0] == "nowMs" else path})
    inside = local | frozenset(node.parameters) if isinstance(node, t.Arrow) else local
    asks_the_time = isinstance(node, t.Pipe) and PIPES[node.name].needs_now
    found: frozenset[Path] = frozenset({("now",)} if asks_the_time else ())
    for child in children(node):
        found |= reads(child, inside)
    return found & {("now",)} if isinstance(node, t.ForItem) else found


def free_names(node: t.Argument, local: frozenset[str] = frozenset()) -> Iterator[t.Name]:
    """Every name that the scope has to give it, in order; what is computed for each item of a pipe sees the item instead."""
    match node:
        case t.ForItem():
            return
        case t.Name(name=name):
            if name not in local and name not in _ALWAYS_THERE:
                yield node
        case _:
            inside = local | frozenset(node.parameters) if isinstance(node, t.Arrow) else local
            for child in children(node):
                yield from free_names(child, inside)


_ALWAYS_THERE = frozenset({"now", "nowMs", "secrets"})


def path_of(node: t.Node) -> Path | None:
    """The names of a plain path: `a.b['c']` is ("a", "b", "c")."""
    match node:
        case t.Name(name=name):
            return (name,)
        case t.Member(of=of, name=name) | t.Index(of=of, key=t.Literal(value=str() as name)):
            before = path_of(of)
            return None if before is None else (*before, name)
        case _:
            return None
