import { escapePointer } from '../json/json-pointer.ts';
import { isObject } from '../json/plain-object.ts';
import { counted } from '../text/amounts.ts';
import { maxDepth, schemaProblem, valueProblem } from './json-forms.ts';
import type { AnySchema, Form, Infer, ReportProblem, Rule, Schema } from './schema.ts';

/** A problem with a value: where, as a JSON Pointer, and what. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

const maxProblems = 20;

/** The problems of a value, at most twenty; empty if it is valid. */
export function problemsIn(schema: AnySchema, value: unknown): readonly Problem[] {
  const walk = new Walk();
  walk.look(schema, value);
  return walk.problems;
}

/** A checked value: typed, or with its problems. */
export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Checks a value against a schema without changing it. */
export function check<T>(schema: Schema<T>, value: unknown): Checked<T> {
  const problems = problemsIn(schema, value);
  if (problems.length > 0) return { ok: false, problems };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it has no problems
  return { ok: true, value: value as T };
}

/** Whether a value is valid. */
export function fits<S extends AnySchema>(schema: S, value: unknown): value is Infer<S> {
  return problemsIn(schema, value).length === 0;
}

class Walk {
  readonly problems: Problem[] = [];
  /** The keys that lead to the current value; joined only if there is a problem. */
  readonly #path: (string | number)[] = [];

  look({ form, rules }: AnySchema, value: unknown): void {
    const before = this.problems.length;
    this.#lookAt(form, value);
    if (rules.length === 0 || this.problems.length > before) return;
    const at = this.#pointer();
    const report: ReportProblem = (path, message) => this.#add(at + path, message);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a form's rules only see values of that form
    for (const rule of rules) (rule as Rule<unknown>)(value, report);
  }

  #lookAt(form: Form, value: unknown): void {
    switch (form.is) {
      case 'text':
        if (typeof value !== 'string') this.#wrongKind(value, 'text');
        else this.#text(form, value);
        return;
      case 'integer':
        if (typeof value !== 'number') this.#wrongKind(value, 'a whole number');
        else if (!Number.isSafeInteger(value)) this.#report('must be a whole number');
        else if (value < form.min) this.#report(`must be at least ${form.min}`);
        else if (value > form.max) this.#report(`must be at most ${form.max}`);
        return;
      case 'flag':
        if (typeof value !== 'boolean') this.#wrongKind(value, 'true or false');
        return;
      case 'choice':
        this.#choice(form.values, value);
        return;
      case 'list':
        if (Array.isArray(value)) this.#list(form, value);
        else this.#wrongKind(value, 'a list');
        return;
      case 'record':
        if (isObject(value)) this.#record(form, value);
        else this.#wrongKind(value, 'an object');
        return;
      case 'object':
        if (isObject(value)) this.#object(form, value);
        else this.#wrongKind(value, 'an object');
        return;
      case 'variants':
        if (isObject(value)) this.#variants(form, value);
        else this.#wrongKind(value, 'an object');
        return;
      case 'by-key':
        if (isObject(value)) this.#byKey(form, value);
        else this.#wrongKind(value, 'an object');
        return;
      case 'nullable':
        if (value !== null) this.look(form.inner, value);
        return;
      case 'json':
        this.#json(form.kind, value);
    }
  }

  #text({ min, max, pattern, wants }: Form & { is: 'text' }, value: string): void {
    if (value.length < min)
      this.#report(min === 1 ? 'must not be empty' : `must have at least ${counted(min, 'character')}`);
    else if (value.length > max) this.#report(`must have at most ${counted(max, 'character')}`);
    else if (pattern !== null && !pattern.test(value)) this.#report(wants);
  }

  #choice(values: readonly unknown[], value: unknown): void {
    if (!values.includes(value)) this.#wrongChoice(values, value);
  }

  #wrongChoice(values: readonly unknown[], value: unknown): void {
    if (value === undefined) return this.#report('is required');
    const shown = values.map((each) => JSON.stringify(each)).join(', ');
    this.#report(values.length === 1 ? `must be ${shown}` : `must be one of ${shown}`);
  }

  #list({ item, min, max }: Form & { is: 'list' }, value: readonly unknown[]): void {
    if (value.length < min)
      this.#report(
        min === 1 ? 'must not be empty' : `must have at least ${counted(min, 'entry', 'entries')}`,
      );
    if (value.length > max) return this.#report(`must have at most ${counted(max, 'entry', 'entries')}`);
    for (let i = 0; i < value.length && !this.#full; i++) this.#below(i, item, value[i]);
  }

  #record(
    { key, value: inner, max }: Form & { is: 'record' },
    value: Readonly<Record<string, unknown>>,
  ): void {
    const names = Object.keys(value);
    if (names.length > max) return this.#report(`must have at most ${counted(max, 'entry', 'entries')}`);
    for (const name of names) {
      if (this.#full) return;
      this.#path.push(name);
      // Set on a plain object, this name would change its prototype.
      if (name === '__proto__') this.#report('is not a name that can be used');
      else {
        this.look(key, name);
        this.look(inner, value[name]);
      }
      this.#path.pop();
    }
  }

  #object({ fields, required }: Form & { is: 'object' }, value: Readonly<Record<string, unknown>>): void {
    let unseen = required.length;
    for (const name of Object.keys(value)) {
      if (this.#full) return;
      const inner = value[name];
      const field = fields.get(name);
      if (field === undefined) {
        this.#path.push(name);
        this.#report('is not a known field');
        this.#path.pop();
      } else if (inner !== undefined) {
        if (unseen > 0 && required.includes(name)) unseen--;
        this.#below(name, field, inner);
      }
    }
    if (unseen === 0) return;
    for (const name of required) {
      if (Object.hasOwn(value, name) && value[name] !== undefined) continue;
      this.#path.push(name);
      this.#report('is required');
      this.#path.pop();
    }
  }

  #variants({ tag, options }: Form & { is: 'variants' }, value: Readonly<Record<string, unknown>>): void {
    const name = Object.hasOwn(value, tag) ? value[tag] : undefined;
    const option = typeof name === 'string' ? options.get(name) : undefined;
    if (option !== undefined) return this.look(option, value);
    this.#path.push(tag);
    this.#wrongChoice([...options.keys()], name);
    this.#path.pop();
  }

  #byKey({ options }: Form & { is: 'by-key' }, value: Readonly<Record<string, unknown>>): void {
    for (const [name, option] of options) {
      if (Object.hasOwn(value, name)) return this.look(option, value);
    }
    this.#report(`must have one of the fields ${[...options.keys()].join(', ')}`);
  }

  #json(kind: 'value' | 'schema', value: unknown): void {
    if (value === undefined) return this.#report('is required');
    if (kind === 'value') return this.#addAt(valueProblem(value, maxDepth));
    if (!isObject(value)) return this.#wrongKind(value, 'a JSON Schema');
    this.#addAt(schemaProblem(value));
  }

  #addAt(problem: Problem | null): void {
    if (problem !== null) this.#add(this.#pointer() + problem.path, problem.message);
  }

  #below(key: string | number, schema: AnySchema, value: unknown): void {
    this.#path.push(key);
    this.look(schema, value);
    this.#path.pop();
  }

  #wrongKind(value: unknown, wanted: string): void {
    this.#report(value === undefined ? 'is required' : `must be ${wanted}, not ${kindOf(value)}`);
  }

  #report(message: string): void {
    this.#add(this.#pointer(), message);
  }

  #add(path: string, message: string): void {
    if (!this.#full) this.problems.push({ path, message });
  }

  get #full(): boolean {
    return this.problems.length >= maxProblems;
  }

  #pointer(): string {
    let pointer = '';
    for (const key of this.#path) pointer += `/${shortened(escapePointer(String(key)))}`;
    return pointer;
  }
}

// Paths are shown to people: the start of a megabyte-long key is enough.
function shortened(token: string): string {
  return token.length > 100 ? `${token.slice(0, 99)}…` : token;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  switch (typeof value) {
    case 'string':
      return 'text';
    case 'number':
      return 'a number';
    case 'boolean':
      return String(value);
    default:
      return 'an object';
  }
}
