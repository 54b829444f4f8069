import { compiledPattern, isTooLargePattern } from '../patterns.ts';
import { sameJson } from '../same-json.ts';
import {
  type Call,
  type Comparable,
  JsonPathError,
  type Logical,
  type Query,
  type Selector,
} from './parse-json-path.ts';

/** A value that a path selects, and the keys that lead to it. */
export interface Node {
  readonly value: unknown;
  readonly keys: readonly (string | number)[];
}

// A path with several descents over a large document could visit too many values.
const maxSteps = 20_000_000;

/** The values that a path selects, in document order. Throws `JsonPathError` if that takes too much work. */
export function selectNodes(query: Query, root: unknown): Node[] {
  return new Evaluation(root).run(query, { value: root, keys: [] });
}

const nothing = Symbol('nothing');
type Value = unknown;

class Evaluation {
  readonly #root: unknown;
  #steps = 0;

  constructor(root: unknown) {
    this.#root = root;
  }

  run(query: Query, start: Node): Node[] {
    let nodes: Node[] = [start];
    for (const { descends, selectors } of query.segments) {
      const next: Node[] = [];
      for (const node of nodes)
        for (const visited of descends ? this.#below(node) : [node])
          for (const selector of selectors) this.#select(selector, visited, next);
      nodes = next;
    }
    return nodes;
  }

  #work(steps = 1): void {
    this.#steps += steps;
    if (this.#steps > maxSteps) throw new JsonPathError('The path visits too many values of the document.');
  }

  /** The node and its descendants, parents before children. */
  *#below(node: Node): Generator<Node> {
    this.#work();
    yield node;
    for (const child of this.#children(node)) yield* this.#below(child);
  }

  *#children({ value, keys }: Node): Generator<Node> {
    if (Array.isArray(value)) {
      for (let i = 0; i < value.length; i++) yield { value: value[i] as unknown, keys: [...keys, i] };
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value))
        yield { value: inner as unknown, keys: [...keys, key] };
    }
  }

  #select(selector: Selector, node: Node, out: Node[]): void {
    const { value, keys } = node;
    this.#work();
    switch (selector.kind) {
      case 'name':
        if (isMap(value) && Object.hasOwn(value, selector.name))
          out.push({ value: value[selector.name], keys: [...keys, selector.name] });
        return;
      case 'wildcard':
        for (const child of this.#children(node)) {
          this.#work();
          out.push(child);
        }
        return;
      case 'index': {
        if (!Array.isArray(value)) return;
        const index = selector.index < 0 ? value.length + selector.index : selector.index;
        if (index >= 0 && index < value.length)
          out.push({ value: value[index] as unknown, keys: [...keys, index] });
        return;
      }
      case 'slice':
        if (Array.isArray(value))
          for (const index of sliceIndexes(selector, value.length)) {
            this.#work();
            out.push({ value: value[index] as unknown, keys: [...keys, index] });
          }
        return;
      case 'filter':
        for (const child of this.#children(node)) {
          this.#work();
          if (this.#holds(selector.test, child.value)) out.push(child);
        }
    }
  }

  #holds(test: Logical, current: Value): boolean {
    this.#work();
    switch (test.kind) {
      case 'or':
        return test.parts.some((part) => this.#holds(part, current));
      case 'and':
        return test.parts.every((part) => this.#holds(part, current));
      case 'not':
        return !this.#holds(test.part, current);
      case 'exists':
        return this.#nodes(test.query, current).length > 0;
      case 'call':
        return this.#callPattern(test.call, current);
      case 'compare':
        return this.#compare(
          test.operator,
          this.#value(test.left, current),
          this.#value(test.right, current),
        );
    }
  }

  #nodes(query: Query, current: Value): Node[] {
    return this.run(query, { value: query.from === 'root' ? this.#root : current, keys: [] });
  }

  #value(comparable: Comparable, current: Value): Value {
    switch (comparable.kind) {
      case 'literal':
        return comparable.value;
      case 'query': {
        const nodes = this.#nodes(comparable.query, current);
        return nodes.length === 1 ? nodes[0]!.value : nothing;
      }
      case 'call':
        return this.#callValue(comparable.call, current);
    }
  }

  #callValue({ name, arguments: [argument] }: Call, current: Value): Value {
    if (name === 'length') return lengthOf(this.#value(argument!, current));
    const nodes = argument?.kind === 'query' ? this.#nodes(argument.query, current) : [];
    if (name === 'count') return nodes.length;
    return nodes.length === 1 ? nodes[0]!.value : nothing;
  }

  // Patterns follow RFC 9485; RE2 runs them in time linear in the text.
  #callPattern({ name, arguments: [text, pattern] }: Call, current: Value): boolean {
    const [given, source] = [this.#value(text!, current), this.#value(pattern!, current)];
    if (typeof given !== 'string' || typeof source !== 'string') return false;
    this.#work(given.length / 10);
    if (isTooLargePattern(source)) throw new JsonPathError('A pattern in the path is too large.');
    this.#work(source.length);
    const compiled = compiledPattern(source);
    if (compiled === null) return false;
    return name === 'match' ? compiled.matcher(given).matches() : compiled.matcher(given).find();
  }

  #compare(operator: string, left: Value, right: Value): boolean {
    switch (operator) {
      case '==':
        return this.#equal(left, right);
      case '!=':
        return !this.#equal(left, right);
      case '<':
        return isBefore(left, right);
      case '>':
        return isBefore(right, left);
      case '<=':
        return isBefore(left, right) || this.#equal(left, right);
      default:
        return isBefore(right, left) || this.#equal(left, right);
    }
  }

  #equal(left: Value, right: Value): boolean {
    if (left === nothing || right === nothing) return left === right;
    return sameJson(left, right);
  }
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isBefore(left: Value, right: Value): boolean {
  if (typeof left === 'number' && typeof right === 'number') return left < right;
  if (typeof left !== 'string' || typeof right !== 'string') return false;
  // By code points, not by surrogates.
  const [a, b] = [[...left], [...right]];
  const at = a.findIndex((char, i) => char !== b[i]);
  if (at === -1) return a.length < b.length;
  return b[at] !== undefined && a[at]!.codePointAt(0)! < b[at].codePointAt(0)!;
}

function lengthOf(value: Value): Value {
  if (typeof value === 'string') return [...value].length;
  if (Array.isArray(value)) return value.length;
  return isMap(value) ? Object.keys(value).length : nothing;
}

// RFC 9535 section 2.3.4.2.2.
function* sliceIndexes(
  { start, end, step }: { readonly start?: number; readonly end?: number; readonly step: number },
  length: number,
): Generator<number> {
  if (step === 0) return;
  const normal = (i: number): number => (i >= 0 ? i : length + i);
  const clamp = (i: number, low: number, high: number): number => Math.min(Math.max(i, low), high);
  if (step > 0) {
    const lower = clamp(normal(start ?? 0), 0, length);
    const upper = clamp(normal(end ?? length), 0, length);
    for (let i = lower; i < upper; i += step) yield i;
    return;
  }
  const upper = clamp(normal(start ?? length - 1), -1, length - 1);
  const lower = clamp(end === undefined ? -1 : normal(end), -1, length - 1);
  for (let i = upper; i > lower; i += step) yield i;
}
