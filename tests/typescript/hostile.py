"""Sources that are made to take long, to take much or to break something, each by its name."""

from __future__ import annotations

END = "\nexport default (x) => x"
TYPED = "\ninterface Output {}\nexport default (x) => x"
BYTES = 65_000


def filled(part: str, before: str = "", after: str = "") -> str:
    """The part again and again, up to the size that is read."""
    return before + part * ((BYTES - len((before + after).encode())) // len(part.encode())) + after


def nested(opening: str, middle: str, closing: str, before: str = "", after: str = "", depth: int = 2_000) -> str:
    return before + opening * depth + middle + closing * depth + after


def chain(depth: int, width: int = 1) -> str:
    """Types that are each made of several of the next."""
    parts = [f"interface T{n} {{ {' '.join(f'p{w}: T{n + 1};' for w in range(width))} }}" for n in range(depth)]
    return "\n".join(["interface Input { a: T0 }", *parts, f"interface T{depth} {{ a: string }}"]) + TYPED


def tagged(name: str, count: int = 1_500) -> str:
    """Objects, each with a tag of its own."""
    return " | ".join(f"{{k:{n},{name}:1}}" for n in range(count))


BRACKETS = [
    "(",
    "[",
    "{",
    "<",
    ")",
    "]",
    "}",
    ">",
    "`${",
    "${",
    "=>",
    "=",
    "?",
    ":",
    "?.",
    ".",
    "...",
    ",",
    ";",
    "!",
    "@",
    "#",
    "|",
    "&",
    "/",
    "/*",
    "//",
    "\\",
    "'",
    '"',
    "`",
    "\n",
]
WORDS = [
    "a",
    "class",
    "function",
    "interface",
    "type",
    "as",
    "satisfies",
    "extends",
    "implements",
    "if",
    "else",
    "for",
    "while",
    "do",
    "let",
    "const",
    "var",
    "export",
    "default",
    "import",
    "async",
    "await",
    "new",
    "in",
    "of",
    "is",
    "enum",
    "abstract",
    "return",
    "yield",
    "switch",
    "case",
    "try",
    "catch",
    "keyof",
    "readonly",
    "infer",
    "typeof",
    "static",
    "get",
    "set",
    "declare",
    "namespace",
]
HOSTILE: dict[str, str] = {
    **{f"nothing but {each!r}": filled(each) for each in BRACKETS},
    **{f"nothing but {each!r}, after a value": filled(each, "x = a ") for each in BRACKETS},
    **{f"nothing but {each!r}, as a type": filled(each, "type Input = ") for each in BRACKETS},
    **{f"the word {each} again and again": filled(f"{each} ") for each in WORDS},
    "texts of tree-sitter's that never end": 'p(>""1].p((=>"""\'}")}}})}"")',
    "comparisons that could be types": filled("a<b,", "x = [", "1]" + END),
    "comparisons in comparisons": filled("a<", "x = ", "1" + END),
    "comparisons with parentheses": filled("a<(b),", "x = [", "1]" + END),
    "comparisons that could be calls": filled("a<b>(c)<", "x = ", "1" + END),
    "type arguments in type arguments": nested("A<", "B", ">", "type Input = ", TYPED),
    "type arguments in calls": nested("f<A>(", "1", ")", "x = ", END),
    "arrows that are none": nested("(a = ", "1", ")", "x = ", END),
    "arrows that could be": nested("(a, b = ", "1", ") => 1", "x = ", END, 60),
    "arrows that are none, sixty deep": nested("(a, b = ", "1", ")", "x = ", END, 60),
    "arrows with types that are none": nested("(a: (b", "c", ") => d) => ", "x = ", END, 60),
    "arrows in defaults": nested("(a = ", "1", ") => 1", "x = ", END, 60),
    "arrows in consequents": filled("a ? (b) : c => ", "x = ", "1" + END),
    "arrows in consequents, sixty deep": "x = " + "a ? (b) : c => " * 60 + "1" + END,
    "arrows in consequents in parentheses": nested("a ? (b) : (c) => (", "1", ")", "x = ", END, 30),
    "arrows in consequents with bodies": nested("a ? (b): c => { return ", "1", " } : d", "x = ", END, 30),
    "many arrows in consequents": filled("x = a ? (b) : (c) => d\n", "", END),
    "generics that are none": nested("<T>(", "1", ")", "x = ", END, 60),
    "patterns in patterns": nested("{ a: ", "b", " }", "const ", " = x" + END),
    "arrays in arrays": nested("[", "1", "]", "x = ", END, 30_000),
    "objects in objects": nested("{a:", "1", "}", "x = ", END, 15_000),
    "blocks in blocks": nested("{", "", "}", "", END, 30_000),
    "functions in functions": nested("function f(){", "", "}", "", END),
    "classes in classes": nested("class A { a = ", "1", "}", "x = ", END),
    "templates in templates": nested("`${", "1", "}`", "x = ", END, 10_000),
    "conditions in conditions": nested("a ? ", "b", " : c", "x = ", END),
    "conditions after conditions": filled("a ? b : ", "x = ", "1" + END),
    "assignments after assignments": filled("a = ", "", "1" + END),
    "operators after operators": filled("a + ", "x = ", "1" + END),
    "signs before signs": filled("- ", "x = ", "1" + END),
    "if after if": filled("if (a) ; else ", "", ";" + END),
    "if in if": filled("if (a) ", "", ";" + END),
    "labels": filled("a: ", "", ";" + END),
    "members after members": filled(".a", "x = a", END),
    "calls after calls": filled("()", "x = a", END),
    "not null after not null": filled("!", "x = a", END),
    "as after as": filled(" as a", "x = a", END),
    "statements": filled("a;", "", END),
    "names that are refused": filled("fetch;", "", END),
    "scopes in scopes with names": nested("{ fetch; let a;", "", "}", "", END, 60),
    "many scopes with names": filled("{ fetch }", "", END),
    "decorators": filled("@a ", "", "class A {}" + END),
    "comments": filled("/**/", "", END),
    "comments for nothing": filled("/** a */", "", END),
    "a comment of its own": "/**" + "*\n" * 30_000 + "*/interface Input {}" + TYPED,
    "a doc for each property": filled("/** a b c */ a?: 1\n", "interface Input {", "}" + TYPED),
    "spaces": filled(" ", "", END),
    "lines": filled("\n", "", END),
    "one long name": filled("a", "let ", END),
    "one long number": filled("1", "x = ", END),
    "one long number with lines": filled("1_", "x = ", "1" + END),
    "one long number as a type": filled("9", "type Input = ", TYPED),
    "one long text": filled("a", "x = '", "'" + END),
    "one long text of escapes": filled("\\n", "type Input = '", "'" + TYPED),
    "one long text of escapes of halves": filled("\\ud800", "type Input = '", "'" + TYPED),
    "one long regular expression": filled("[a]", "x = /", "/" + END),
    "regular expressions": filled("/a/,", "x = [", "1]" + END),
    "a union of literals": filled("'a' | ", "type Input = ", "1" + TYPED),
    "a union of many literals": "type Input = " + " | ".join(f"'{n}'" for n in range(6_000)) + TYPED,
    "a union of many objects": "type Input = " + " | ".join(f"{{ a{n}: 1 }}" for n in range(2_000)) + TYPED,
    "an intersection of objects": filled("{a: 1} & ", "type Input = ", "{b: 1}" + TYPED),
    "an intersection of literals": filled("'a' & ", "type Input = ", "1" + TYPED),
    "an interface again and again": filled("interface Input { a: 1 }\n", "", TYPED),
    "an interface with many properties": "interface Input { "
    + " ".join(f"a{n}: 1;" for n in range(5_000))
    + " }"
    + TYPED,
    "extends in a row": "".join(f"interface T{n} extends T{n + 1} {{}}\n" for n in range(1_500))
    + "interface Input extends T0 {}"
    + TYPED,
    "extends twice of each": "".join(f"interface T{n} extends T{n + 1}, T{n + 1} {{}}\n" for n in range(60))
    + "interface T60 { a: 1 }\ninterface Input extends T0 {}"
    + TYPED,
    "types in a row": chain(1_200),
    "types that double": chain(60, 2),
    "types that grow tenfold": chain(20, 10),
    "aliases that double": "".join(f"type T{n} = [T{n + 1}, T{n + 1}]\n" for n in range(60))
    + "type T60 = 1\ntype Input = T0"
    + TYPED,
    "unions that double": "".join(f"type T{n} = T{n + 1} | T{n + 1}\n" for n in range(60))
    + "type T60 = 1\ntype Input = T0"
    + TYPED,
    "intersections that double": "".join(f"type T{n} = T{n + 1} & T{n + 1}\n" for n in range(60))
    + "type T60 = { a: 1 }\ntype Input = T0"
    + TYPED,
    "generics that double": "".join(f"type T{n}<A> = T{n + 1}<[A, A]>\n" for n in range(60))
    + "type T60<A> = A\ntype Input = T0<1>"
    + TYPED,
    "generics that double in two places": "".join(f"type T{n}<A, B> = T{n + 1}<[A, B], [B, A]>\n" for n in range(60))
    + "type T60<A, B> = A\ntype Input = T0<1, 2>"
    + TYPED,
    "generics without end": "interface Input { a: N<1> }\ninterface N<T> { a: N<T[]>; b: N<[T]> }" + TYPED,
    "Exclude of many": "type A = "
    + " | ".join(f"'{n}'" for n in range(3_000))
    + "\ntype Input = Exclude<A, '1'>"
    + TYPED,
    "Exclude in Exclude": "type A = "
    + " | ".join(f"'{n}'" for n in range(500))
    + "\ntype Input = "
    + "Exclude<" * 50
    + "A"
    + ", '1'>" * 50
    + TYPED,
    "Exclude of many objects": f"type U = {tagged('a')}\ntype V = {tagged('b')}\ntype Input = Exclude<U, V>" + TYPED,
    "Exclude of objects, again and again": filled(
        "a?: Exclude<U, V>; ",
        f"type U = {tagged('a', 40)}\ntype V = {tagged('b', 40)}\ninterface Input {{",
        "}" + TYPED,
    ),
    "Pick of many": "type A = { "
    + " ".join(f"a{n}: 1;" for n in range(3_000))
    + " }\ntype Input = Pick<A, keyof A>"
    + TYPED,
    "Omit in Omit": "type A = { "
    + " ".join(f"a{n}: 1;" for n in range(3_000))
    + " }\ntype Input = "
    + "Omit<" * 50
    + "A"
    + ", 'a1'>" * 50
    + TYPED,
    "a mapped type of a mapped type": "".join(
        f"type T{n}<A> = {{ [K in keyof A]: T{n + 1}<A>[K] }}\n" for n in range(50)
    )
    + "type T50<A> = A\ntype Input = T0<{ a: 1; b: 2 }>"
    + TYPED,
    "access in access": nested("", "T['a']", "['a']", "interface T { a: T }\ntype Input = ", TYPED),
    "keyof keyof": "type Input = " + "keyof " * 10_000 + "{ a: 1 }" + TYPED,
    "parentheses in types": nested("(", "1", ")", "type Input = ", TYPED, 30_000),
    "signatures in types": nested("(a: ", "1", ") => 1", "type Input = ", TYPED, 3_000),
    "signatures in types that are none": nested("({ a: ", "1", " })", "type Input = ", TYPED, 60),
    "conditional types": nested("a extends b ? ", "c", " : d", "type Input = ", TYPED),
    "arrays of arrays": filled("[]", "type Input = 1", TYPED),
    "unknown names": filled("a: Abcdefg; ", "interface Input {", "}" + TYPED),
    "names that are nearly known": "interface Abcdefgh { a: 1 }\n"
    + filled("a: Abcdefg; ", "interface Input {", "}" + TYPED),
    "many unknown names": "interface Input { " + " ".join(f"a{n}: B{n};" for n in range(3_000)) + "}" + TYPED,
    "blanks over blanks": nested("class A { declare a: 1; abstract m(b = ", "1", "): void }", "x = ", END, 30),
    "signatures without bodies": filled("function f(a: string): void\n", "", END),
    "exports of lists": filled("export { a }\n", "", END),
    "defaults": filled("export default x => x\n"),
    "a constant of a constant": "".join(f"const a{n} = a{n + 1}\n" for n in range(2_000)) + "export default a0",
}
