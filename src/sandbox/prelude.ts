/**
 * What every machine contains before a script runs: the names that scripts use, and the two functions with
 * which the host starts a script and delivers what it waits for. Nothing here protects the host, which checks
 * everything it receives: a script that changes built-in objects only harms itself. What a script must not
 * change is still kept in variables, so that its own mistakes don't look like ours. The value of this text is a
 * list of those two functions.
 */
export const prelude = String.raw`(() => {
  'use strict';
  const send = globalThis.send;
  delete globalThis.send;
  const { parse, stringify } = JSON;
  const { create, defineProperty, keys } = Object;
  const NativeError = Error;
  const NativePromise = Promise;
  const NativeProxy = Proxy;
  const NativeString = String;
  const { isArray } = Array;
  const NativeMap = Map;
  const NativeSet = Set;

  // Machines restored from one image would all draw the same numbers.
  let [a, b, c, d] = [1, 2, 3, 4];
  const draw = () => {
    const t = (a + b + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + t) | 0;
    return t;
  };
  defineProperty(Math, 'random', {
    configurable: true,
    writable: true,
    value: function random() {
      return ((draw() >>> 5) * 67108864 + (draw() >>> 6)) / 9007199254740992;
    },
  });

  const exact = (key, value) => {
    if (typeof value === 'bigint') return NativeString(value);
    if (typeof value !== 'object' || value === null) return value;
    const where = key === '' ? 'it' : '"' + key + '"';
    if (value instanceof NativePromise) throw new NativeError(where + ' is a promise: put await before the call.');
    if (value instanceof NativeMap)
      throw new NativeError(where + ' is a Map, which JSON cannot hold: use Object.fromEntries(map).');
    if (value instanceof NativeSet)
      throw new NativeError(where + ' is a Set, which JSON cannot hold: use [...set].');
    return value;
  };
  const json = (value) => stringify(value, exact);

  class ToolError extends NativeError {
    constructor({ message, code, status, details, tool }) {
      super(message);
      this.code = code;
      if (status !== undefined) this.status = status;
      if (details !== undefined) this.details = details;
      if (tool !== undefined) this.tool = tool;
    }
  }
  defineProperty(ToolError.prototype, 'name', { value: 'ToolError', configurable: true, writable: true });

  let asked = 0;
  const waiting = create(null);

  const ask = (kind, payload) =>
    new NativePromise((resolve, reject) => {
      const id = ++asked;
      // An error points to where the request was made.
      waiting[id] = { resolve, reject, place: new NativeError() };
      const refused = send(kind, id, payload);
      if (refused === '') return;
      delete waiting[id];
      reject(new ToolError({ message: refused, code: 'limit' }));
    });

  // A reply whose status and headers were requested, or that is one page of several, has a line in front of its data.
  const read = (text) => {
    if (text === '') return undefined;
    if (text[0] !== '#') return parse(text);
    const end = text.indexOf('\n');
    const { isAsked, ...about } = parse(text.slice(1, end));
    const data = parse(text.slice(end + 1));
    if (isAsked) return { ...about, data };
    if (typeof data === 'object' && data !== null && !('more' in data))
      defineProperty(data, 'more', { value: about.more, enumerable: false, writable: true, configurable: true });
    return data;
  };

  const deliver = (id, isDone, text) => {
    const one = waiting[id];
    if (one === undefined) return;
    delete waiting[id];
    let value;
    try {
      value = read(text);
    } catch (error) {
      one.reject(new ToolError({ message: 'The reply could not be read here: ' + error.message, code: 'reply_invalid' }));
      return;
    }
    if (isDone) one.resolve(value);
    else {
      const error = new ToolError(value);
      defineProperty(error, 'stack', { value: one.place.stack, writable: true, configurable: true });
      one.reject(error);
    }
  };

  // Printing shows what there is, whatever it is.
  const readable = (key, value) => {
    if (typeof value === 'bigint') return NativeString(value);
    if (value instanceof NativePromise) return '(a promise: put await before the call)';
    if (value instanceof NativeMap || value instanceof NativeSet) return [...value];
    return value;
  };
  const words = (value) => {
    if (typeof value === 'string') return value;
    if (value instanceof NativeError) return NativeString(value);
    return stringify(value, readable) ?? NativeString(value);
  };
  const emit = (kind) => (...values) => {
    let text = '';
    for (let i = 0; i < values.length; i++) text += (i === 0 ? '' : ' ') + words(values[i]);
    send(kind, 0, text);
  };

  // Awaiting or printing an object of tools must not make a call.
  const isQuiet = (name) => typeof name === 'symbol' || name === 'then' || name === 'toJSON';
  const refuseChange = () => {
    throw new NativeError('Tools cannot be changed.');
  };
  const fixed = { set: refuseChange, defineProperty: refuseChange, deleteProperty: refuseChange };
  const callable = (api, name) => (args, beyond, ...more) => {
    if (more.length > 0)
      throw new NativeError('A tool takes one object with its arguments, and one with all, max_items, wait or reply.');
    const given = json(args === undefined || args === null ? {} : args);
    const reply = ask('call', json(beyond === undefined ? [api, name] : [api, name, beyond]) + '\n' + (given ?? '{}'));
    return new NativeProxy(reply, awaited('tools.' + (api === null ? '' : api + '.') + name));
  };
  // What a promise has is used by await; anything else was meant for the reply.
  const awaited = (path) => ({
    get: (promise, name) => {
      if (name === 'then' || name === 'catch' || name === 'finally') return promise[name].bind(promise);
      if (name === 'constructor' || name === 'toJSON' || name === Symbol.toStringTag) return promise[name];
      throw new NativeError(path + '(…) returns a promise: put await before it.');
    },
  });
  const bare = () => {
    const target = () => {};
    delete target.name;
    delete target.length;
    return target;
  };
  const api = (slug) =>
    new NativeProxy(bare(), {
      ...fixed,
      apply: (target, self, args) => callable(null, slug)(...args),
      get: (target, name) => (isQuiet(name) ? undefined : callable(slug, name)),
      has: (target, name) => !isQuiet(name),
      ownKeys: () => {
        throw new NativeError('The tools of an API are not listed here: find them with await search("what you want to do").');
      },
    });
  let slugs = [];
  const tools = new NativeProxy(bare(), {
    ...fixed,
    apply: () => {
      throw new NativeError('Name a tool: tools.api.tool({ … }).');
    },
    get: (target, name) => (isQuiet(name) ? undefined : api(name)),
    has: (target, name) => slugs.includes(name),
    ownKeys: () => [...slugs],
    getOwnPropertyDescriptor: (target, name) =>
      slugs.includes(name) ? { value: api(name), enumerable: true, configurable: true } : undefined,
  });

  const options = (first, name, rest) =>
    typeof first === 'object' && first !== null && !isArray(first) ? first : { ...rest, [name]: first };
  const print = emit('print');
  const given = {
    tools,
    print,
    show: emit('show'),
    search: (query, rest) => ask('search', json(options(query, 'query', rest)) ?? '{}'),
    describe: (...names) => ask('describe', json(names.flat())),
    read: (handle, rest) => ask('read', json(options(handle, 'handle', rest)) ?? '{}'),
    sleep: (ms) => ask('sleep', json(ms) ?? 'null'),
    console: { log: print, info: print, warn: print, error: print, debug: print },
    ToolError,
  };
  for (const name of keys(given))
    defineProperty(globalThis, name, { value: given[name], writable: true, configurable: true });

  const cut = (text, most) => (typeof text === 'string' ? text.slice(0, most) : undefined);
  const describeThrown = (thrown) => {
    try {
      if (thrown instanceof NativeError)
        return json({
          name: cut(thrown.name, 100),
          message: cut(thrown.message, 8000),
          stack: cut(thrown.stack, 8000),
          code: cut(thrown.code, 100),
          status: typeof thrown.status === 'number' ? thrown.status : undefined,
        });
      return json({ message: 'The script threw ' + cut(words(thrown), 8000) });
    } catch {
      return '{"message":"The script threw something that cannot be shown."}';
    }
  };

  const start = async (body, setup) => {
    let input;
    ({ slugs, input, seed: [a, b, c, d] } = parse(setup));
    if (input !== undefined)
      defineProperty(globalThis, 'input', { value: parse(input), writable: true, configurable: true });
    try {
      const value = await body();
      let text;
      try {
        text = json(value);
      } catch (error) {
        throw new NativeError('The result cannot be returned as JSON: ' + error.message);
      }
      const refused = send('done', 0, text ?? '');
      if (refused !== '') throw new NativeError(refused);
    } catch (thrown) {
      send('failed', 0, describeThrown(thrown));
    }
  };

  return [start, deliver];
})()`;
