/* What stands in a context before a transform comes into it: a function of the names that nobody may find there, of `telling.js`,
   and of how much is logged. It answers with the one function that the child calls: run(code, input, sizeMax) gives a letter that
   says what became of it, and a text; run() gives what was logged, as JSON.

   Whatever is needed afterwards is taken now, for a transform may change every prototype there is. So no method of any value is
   called, nothing goes by an iterator, and texts are joined where lists would be filled: somebody may have defined a setter.
   This is read for every transform: what is seldom needed stands in `telling.js`, and is read when it is. Both are evaluated as
   one line (so there are no line comments), and a transform begins on the second: that tells them apart in stacks. */
(function (absent, telling, linesMax, lettersMax) {
  'use strict';
  const { parse, stringify } = JSON, { defineProperty, getPrototypeOf } = Object;
  const evaluate = eval, bind = Function.prototype.call;
  const join = bind.bind(Array.prototype.join), slice = bind.bind(String.prototype.slice);
  const text = String, wrong = Error;

  /* What need not be the same each time is not there, nor is what makes code of texts; also not by way of `constructor`. */
  const gone = { value: undefined, writable: false, enumerable: false, configurable: false };
  for (let i = 0; i < absent.length; i++) {
    const made = globalThis[absent[i]], prototype = typeof made === 'function' && made.prototype;
    if (prototype) defineProperty(prototype, 'constructor', gone);
    delete globalThis[absent[i]];
  }
  defineProperty(getPrototypeOf(function* () {}), 'constructor', gone);
  defineProperty(getPrototypeOf(async function () {}), 'constructor', gone);
  defineProperty(getPrototypeOf(async function* () {}), 'constructor', gone);
  defineProperty(Error, 'prepareStackTrace', gone);
  delete Math.random;
  delete Array.fromAsync;

  let told;
  const tell = () => (told ??= evaluate(telling)(stringify, slice, join, text, wrong, linesMax, lettersMax));
  const log = (level) => (...given) => tell().log(level, given);
  const console = { log: log('log'), info: log('info'), warn: log('warn'), error: log('error'), debug: log('debug') };
  defineProperty(globalThis, 'console', { value: console, writable: true, enumerable: false, configurable: true });

  return (code, input, sizeMax) => {
    if (code === undefined) return told ? told.logged() : '';
    let value, written;
    try {
      const transform = evaluate(code);
      if (typeof transform !== 'function') return 'F' + typeof transform;
      value = transform(parse(input));
    } catch (thrown) {
      return tell().thrown('E', thrown);
    }
    if (value === undefined) return 'Vnull';
    try {
      if (typeof value === 'object' && value !== null && typeof value.then === 'function') return 'P';
      written = stringify(value);
    } catch (thrown) {
      return tell().thrown('J', thrown);
    }
    if (written === undefined) return 'U' + typeof value;
    return written.length > sizeMax ? 'L' + written.length : join(['V', written], '');
  };
})
