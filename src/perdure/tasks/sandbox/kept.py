"""The globals that a transform finds. What a newer QuickJS brings along is absent until it is put here: it has to be known first
that it is the same each time, and leads nowhere else.
"""

from __future__ import annotations

GLOBALS = (
    *("Object", "Array", "String", "Number", "Boolean", "Symbol", "BigInt", "Math", "JSON", "Reflect", "RegExp"),
    *("Map", "Set", "WeakMap", "WeakSet", "Iterator", "Proxy", "globalThis", "undefined", "NaN", "Infinity"),
    *("Error", "EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError", "AggregateError"),
    *("InternalError", "parseInt", "parseFloat", "isNaN", "isFinite", "escape", "unescape", "atob", "btoa"),
    *("encodeURI", "encodeURIComponent", "decodeURI", "decodeURIComponent"),
    *("ArrayBuffer", "DataView", "Int8Array", "Uint8Array", "Uint8ClampedArray", "Int16Array", "Uint16Array"),
    *("Int32Array", "Uint32Array", "BigInt64Array", "BigUint64Array", "Float16Array", "Float32Array", "Float64Array"),
)
