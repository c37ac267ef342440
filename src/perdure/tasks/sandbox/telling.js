/* What is read once a transform logs, or throws. It runs after code of others, and knows only what it is given: see `prelude.js`. */
(function (stringify, slice, join, text, wrong, linesMax, lettersMax) {
  'use strict';
  let said = '', lines = 0, left = lettersMax;

  const shown = (value) => {
    try {
      if (typeof value === 'string') return value;
      if (typeof value === 'bigint') return text(value) + 'n';
      if (typeof value === 'function') return '[function]';
      if (typeof value !== 'object' || value === null || value instanceof wrong) return text(value);
      const written = stringify(value);
      return written === undefined ? '[object]' : written;
    } catch {
      return '[object]';
    }
  };

  const add = (level, line) => {
    said += (said && ',') + '{"level":"' + level + '","text":' + stringify(line) + '}';
  };

  /* Anything can be thrown: a Proxy, or what throws again when it is asked for its name. */
  const part = (thrown, name) => {
    try {
      const value = thrown[name];
      return value === undefined ? '' : slice(shown(value), 0, 4000);
    } catch {
      return '';
    }
  };

  return {
    /* The binding reads no text that is still in pieces, as `+` leaves long ones; `join` makes it whole. */
    logged: () => join(['[', said, ']'], ''),

    log: (level, given) => {
      if (lines > linesMax) return;
      lines++;
      let line = '';
      for (let i = 0; i < given.length && line.length <= left; i++) line += (i ? ' ' : '') + shown(given[i]);
      if (lines <= linesMax && line.length <= left) {
        left -= line.length;
        add(level, line);
        return;
      }
      if (lines <= linesMax && left) add(level, slice(line, 0, left));
      lines = linesMax + 1;
      add('warn', '[cut off here: more was logged than is kept]');
    },

    thrown: (kind, given) => {
      const isObject = (typeof given === 'object' && given !== null) || typeof given === 'function';
      const name = isObject ? part(given, 'name') : '';
      const message = (isObject && part(given, 'message')) || (name ? '' : slice(shown(given), 0, 4000));
      const stack = isObject ? part(given, 'stack') : '';
      if (name === 'InternalError' && message === 'out of memory') return 'M';
      const told = '{"name":' + stringify(name) + ',"message":' + stringify(message) + ',"stack":' + stringify(stack) + '}';
      return join([kind, told], '');
    },
  };
})
