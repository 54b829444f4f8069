// JSONPath as RFC 9535 defines it: https://www.rfc-editor.org/rfc/rfc9535. No extensions, so a path means the
// same everywhere.

/** Thrown for text that is not a JSONPath; the message says what is wrong and where. */
export class JsonPathError extends Error {
  override readonly name = 'JsonPathError';
}

export type Selector =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'wildcard' }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'slice'; readonly start?: number; readonly end?: number; readonly step: number }
  | { readonly kind: 'filter'; readonly test: Logical };

export interface Segment {
  /** Whether all descendants are visited as well (`..`). */
  readonly descends: boolean;
  readonly selectors: readonly Selector[];
}

/** A path from the root (`$`) or from the value that a filter tests (`@`). */
export interface Query {
  readonly from: 'root' | 'current';
  readonly segments: readonly Segment[];
}

export type Logical =
  | { readonly kind: 'or' | 'and'; readonly parts: readonly Logical[] }
  | { readonly kind: 'not'; readonly part: Logical }
  | { readonly kind: 'exists'; readonly query: Query }
  | { readonly kind: 'call'; readonly call: Call }
  | {
      readonly kind: 'compare';
      readonly operator: (typeof operators)[number];
      readonly left: Comparable;
      readonly right: Comparable;
    };

export type Comparable =
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
  | { readonly kind: 'query'; readonly query: Query }
  | { readonly kind: 'call'; readonly call: Call };

export interface Call {
  readonly name: FunctionName;
  readonly arguments: readonly Comparable[];
}

export type FunctionName = 'length' | 'count' | 'value' | 'match' | 'search';

const functions: Readonly<
  Record<FunctionName, { takes: readonly ('value' | 'nodes')[]; gives: 'value' | 'logical' }>
> = {
  length: { takes: ['value'], gives: 'value' },
  count: { takes: ['nodes'], gives: 'value' },
  value: { takes: ['nodes'], gives: 'value' },
  match: { takes: ['value', 'value'], gives: 'logical' },
  search: { takes: ['value', 'value'], gives: 'logical' },
};

// Longer operators come before those they start with.
const operators = ['==', '!=', '<=', '>=', '<', '>'] as const;

const maxLength = 4_000;
const maxDepth = 50;

/** Parses a path that starts with `$`. Throws `JsonPathError`. */
export function parseJsonPath(text: string): Query {
  if (text.length > maxLength) throw new JsonPathError(`The path is longer than ${maxLength} characters.`);
  return new Parser(text).path();
}

class Parser {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  path(): Query {
    if (!this.#take('$')) throw this.#fault('a path starts with "$"');
    const segments = this.#segments();
    if (this.#at < this.#text.length) throw this.#fault('nothing may follow here');
    return { from: 'root', segments };
  }

  #fault(why: string): JsonPathError {
    const shown = JSON.stringify(this.#text.slice(this.#at, this.#at + 20));
    return new JsonPathError(
      `${why} (character ${this.#at + 1}${this.#at < this.#text.length ? `, at ${shown}` : ', at its end'})`,
    );
  }

  #take(token: string): boolean {
    if (!this.#text.startsWith(token, this.#at)) return false;
    this.#at += token.length;
    return true;
  }

  #need(token: string): void {
    if (!this.#take(token)) throw this.#fault(`"${token}" is missing`);
  }

  #blanks(): void {
    while (this.#at < this.#text.length && ' \t\n\r'.includes(this.#text[this.#at]!)) this.#at++;
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) return null;
    this.#at += found.length;
    return found;
  }

  #segments(): Segment[] {
    const segments: Segment[] = [];
    for (;;) {
      const before = this.#at;
      this.#blanks();
      if (this.#take('..')) {
        segments.push({
          descends: true,
          selectors: this.#take('[') ? this.#brackets() : [this.#shorthand()],
        });
      } else if (this.#take('.')) segments.push({ descends: false, selectors: [this.#shorthand()] });
      else if (this.#take('[')) segments.push({ descends: false, selectors: this.#brackets() });
      else {
        this.#at = before;
        return segments;
      }
    }
  }

  #shorthand(): Selector {
    if (this.#take('*')) return { kind: 'wildcard' };
    const name = this.#match(/[A-Za-z_\u{80}-\u{10ffff}][\w\u{80}-\u{10ffff}]*/uy);
    if (name === null)
      throw this.#fault('a name of letters, digits and "_", or "*", is missing: write others as [\'name\']');
    return { kind: 'name', name };
  }

  #brackets(): Selector[] {
    const selectors: Selector[] = [];
    do {
      this.#blanks();
      selectors.push(this.#selector());
      this.#blanks();
    } while (this.#take(','));
    this.#need(']');
    return selectors;
  }

  #selector(): Selector {
    const next = this.#text[this.#at];
    if (next === '"' || next === "'") return { kind: 'name', name: this.#string() };
    if (this.#take('*')) return { kind: 'wildcard' };
    if (this.#take('?')) {
      this.#blanks();
      return { kind: 'filter', test: this.#or() };
    }
    return this.#indexOrSlice();
  }

  #indexOrSlice(): Selector {
    const start = this.#integer();
    this.#blanks();
    if (!this.#take(':')) {
      if (start === undefined) throw this.#fault('a name in quotes, a number, "*", ":" or "?" is missing');
      return { kind: 'index', index: start };
    }
    this.#blanks();
    const end = this.#integer();
    this.#blanks();
    let step: number | undefined;
    if (this.#take(':')) {
      this.#blanks();
      step = this.#integer();
    }
    return {
      kind: 'slice',
      ...(start !== undefined && { start }),
      ...(end !== undefined && { end }),
      step: step ?? 1,
    };
  }

  #integer(): number | undefined {
    const digits = this.#match(/(?:0|-?[1-9]\d*)(?!\d)/y);
    if (digits === null) return undefined;
    const number = Number(digits);
    if (!Number.isSafeInteger(number)) throw this.#fault('the number is too large');
    return number;
  }

  #string(): string {
    const quote = this.#text[this.#at++]!;
    let out = '';
    for (;;) {
      const char = this.#text[this.#at];
      if (char === undefined) throw this.#fault('the closing quote is missing');
      this.#at++;
      if (char === quote) return out;
      if (char < ' ') throw this.#fault('a line break or control character in quotes must be escaped');
      out += char === '\\' ? this.#escape(quote) : char;
    }
  }

  #escape(quote: string): string {
    const char = this.#text[this.#at++] ?? '';
    const simple: Readonly<Record<string, string>> = {
      b: '\b',
      f: '\f',
      n: '\n',
      r: '\r',
      t: '\t',
      '/': '/',
      '\\': '\\',
    };
    if (char === quote) return quote;
    if (Object.hasOwn(simple, char)) return simple[char]!;
    const pair = char === 'u' ? this.#match(/[0-9A-Fa-f]{4}(?:\\u[0-9A-Fa-f]{4})?/y) : null;
    if (pair === null) throw this.#fault('this is not a valid JSON escape');
    const first = Number.parseInt(pair.slice(0, 4), 16);
    if (first < 0xd800 || first > 0xdfff) {
      // A character of its own: the escape after it isn't part of a pair.
      this.#at -= pair.length - 4;
      return String.fromCharCode(first);
    }
    const second = Number.parseInt(pair.slice(6), 16);
    if (first > 0xdbff || !(second >= 0xdc00 && second <= 0xdfff))
      throw this.#fault('half of a surrogate pair cannot be used alone');
    return String.fromCharCode(first, second);
  }

  #or(): Logical {
    return this.#chain('or', '||', () => this.#chain('and', '&&', () => this.#basic()));
  }

  #chain(kind: 'or' | 'and', operator: string, read: () => Logical): Logical {
    const parts = [read()];
    for (;;) {
      const before = this.#at;
      this.#blanks();
      if (!this.#take(operator)) {
        this.#at = before;
        return parts.length === 1 ? parts[0]! : { kind, parts };
      }
      this.#blanks();
      parts.push(read());
    }
  }

  #basic(): Logical {
    if (++this.#depth > maxDepth) throw this.#fault('the filter is nested too deeply');
    const read = this.#basicInside();
    this.#depth--;
    return read;
  }

  #basicInside(): Logical {
    if (this.#take('!')) {
      this.#blanks();
      const negated = this.#text[this.#at] === '(' ? this.#parentheses() : this.#test();
      return { kind: 'not', part: negated };
    }
    if (this.#text[this.#at] === '(') return this.#parentheses();
    const left = this.#comparable();
    const before = this.#at;
    this.#blanks();
    const operator = operators.find((each) => this.#take(each));
    if (operator === undefined) {
      this.#at = before;
      return this.#asTest(left);
    }
    this.#blanks();
    const right = this.#comparable();
    return {
      kind: 'compare',
      operator,
      left: this.#asValue(left),
      right: this.#asValue(right),
    };
  }

  #parentheses(): Logical {
    this.#need('(');
    this.#blanks();
    const inner = this.#or();
    this.#blanks();
    this.#need(')');
    return inner;
  }

  #test(): Logical {
    return this.#asTest(this.#comparable());
  }

  #asTest(comparable: Comparable): Logical {
    if (comparable.kind === 'query') return { kind: 'exists', query: comparable.query };
    if (comparable.kind === 'call' && functions[comparable.call.name].gives === 'logical')
      return { kind: 'call', call: comparable.call };
    throw this.#fault('a comparison is missing');
  }

  #asValue(comparable: Comparable): Comparable {
    if (comparable.kind === 'query' && !isSingular(comparable.query))
      throw this.#fault('a path that may lead to several values cannot be compared');
    if (comparable.kind === 'call' && functions[comparable.call.name].gives === 'logical')
      throw this.#fault(`${comparable.call.name}() returns true or false and cannot be compared`);
    return comparable;
  }

  #comparable(): Comparable {
    const next = this.#text[this.#at];
    if (next === '"' || next === "'") return { kind: 'literal', value: this.#string() };
    if (this.#take('@')) return { kind: 'query', query: { from: 'current', segments: this.#segments() } };
    if (this.#take('$')) return { kind: 'query', query: { from: 'root', segments: this.#segments() } };
    const number = this.#match(/-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y);
    if (number !== null) return { kind: 'literal', value: Number(number) };
    const word = this.#match(/[a-z][a-z_0-9]*/y);
    if (word === 'true' || word === 'false') return { kind: 'literal', value: word === 'true' };
    if (word === 'null') return { kind: 'literal', value: null };
    if (word !== null && this.#take('(')) return { kind: 'call', call: this.#call(word) };
    throw this.#fault('a value, a path with "@" or "$", or a function is missing');
  }

  #call(name: string): Call {
    if (!isFunctionName(name)) throw this.#fault(`there is no function "${name}"`);
    const { takes } = functions[name];
    const given: Comparable[] = [];
    this.#blanks();
    if (!this.#take(')')) {
      do {
        this.#blanks();
        given.push(this.#comparable());
        this.#blanks();
      } while (this.#take(','));
      this.#need(')');
    }
    const fits =
      given.length === takes.length &&
      given.every((argument, i) => {
        if (takes[i] === 'nodes') return argument.kind === 'query';
        if (argument.kind === 'query') return isSingular(argument.query);
        return argument.kind === 'literal' || functions[argument.call.name].gives === 'value';
      });
    if (!fits) throw this.#fault(`the arguments of ${name}() are not valid`);
    return { name, arguments: given };
  }
}

function isFunctionName(name: string): name is FunctionName {
  return Object.hasOwn(functions, name);
}

function isSingular({ segments }: Query): boolean {
  return segments.every(
    ({ descends, selectors }) =>
      !descends &&
      selectors.length === 1 &&
      (selectors[0]!.kind === 'name' || selectors[0]!.kind === 'index'),
  );
}
