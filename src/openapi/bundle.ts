import { fieldOf, isObject } from '../lib/json/plain-object.ts';
import { pointerKeys, pointerTo, valueAt } from '../lib/json/json-pointer.ts';

/** One or more files that belong together, parsed but not interpreted. File names are relative, with `/`. */
export interface Bundle {
  readonly root: string;
  readonly files: ReadonlyMap<string, unknown>;
}

/** A place in a bundle. */
export interface Place {
  readonly file: string;
  readonly pointer: string;
}

/** A value with its place, so that references in it resolve and notes can name it. */
export interface Located<T = unknown> {
  readonly value: T;
  readonly at: Place;
}

/** Why a reference cannot be resolved. */
export interface Unresolved {
  readonly unresolved: string;
}

const maxChain = 64;

/** Resolves references within a bundle, never via the network or the file system. */
export class Resolver {
  readonly bundle: Bundle;
  /** The root document's own URLs: a reference to one of them stays in the bundle. */
  readonly #ownUrls: ReadonlySet<string>;
  readonly #anchors = new Map<string, Anchors>();

  constructor(bundle: Bundle, ownUrls: readonly (string | undefined)[] = []) {
    this.bundle = bundle;
    this.#ownUrls = new Set(ownUrls.filter((url) => url !== undefined));
  }

  /** The place a `$ref` names, without checking that something is there. */
  locate(ref: string, from: Place): Place | Unresolved {
    const hash = ref.indexOf('#');
    const target = hash < 0 ? ref : ref.slice(0, hash);
    const fragment = hash < 0 ? '' : ref.slice(hash + 1);
    if (target === '') return this.#within(from.file, fragment, ref);
    // A schema's own URL (`$id`) is only a name here, never fetched.
    const named = this.#anchorsOf(from.file).ids.get(target);
    if (named !== undefined) {
      const inner = fragment === '' || fragment.startsWith('/');
      return inner ? { file: from.file, pointer: named + fragment } : this.#within(from.file, fragment, ref);
    }
    if (this.#ownUrls.has(target)) return this.#within(this.bundle.root, fragment, ref);
    if (/^[a-z][a-z0-9+.-]*:/i.test(target) || target.startsWith('//')) {
      return { unresolved: `points to another URL (${ref}), which is never fetched` };
    }
    const file = relativeTo(from.file, target);
    if (file === null || !this.bundle.files.has(file)) {
      return {
        unresolved: `points to the file ${target}, which was not part of the import: import the folder that contains all files`,
      };
    }
    return this.#within(file, fragment, ref);
  }

  #within(file: string, fragment: string, ref: string): Place | Unresolved {
    if (fragment === '' || fragment.startsWith('/')) return { file, pointer: fragment };
    const pointer = this.#anchorsOf(file).anchors.get(decodePath(fragment));
    return pointer === undefined
      ? { unresolved: `names an anchor (${ref}) that does not exist` }
      : { file, pointer };
  }

  // Searched once per file, and only if a reference may need it.
  #anchorsOf(file: string): Anchors {
    let known = this.#anchors.get(file);
    if (!known) this.#anchors.set(file, (known = findAnchors(this.bundle.files.get(file))));
    return known;
  }

  /** The value a `$ref` names. */
  resolve(ref: string, from: Place): Located | Unresolved {
    const place = this.locate(ref, from);
    if ('unresolved' in place) return place;
    const root = this.bundle.files.get(place.file);
    const keys = pointerKeys(place.pointer);
    const value = valueAt(root, keys);
    if (value !== undefined) return { value, at: place };
    // `#/$defs/A` in a schema that was moved into the document refers to that schema's own root.
    if (ref.startsWith('#') && (keys[0] === '$defs' || keys[0] === 'definitions')) {
      const above = pointerKeys(from.pointer);
      for (let length = above.length; length > 0; length--) {
        const path = [...above.slice(0, length), ...keys];
        const found = valueAt(root, path);
        if (found !== undefined)
          return { value: found, at: { file: place.file, pointer: pointerTo('', ...path) } };
      }
    }
    return { unresolved: `points to ${ref}, which does not exist` };
  }

  /** Follows a chain of `$ref`s to the value at its end. */
  follow(start: Located): Located | Unresolved {
    let node = start;
    for (let step = 0; step < maxChain; step++) {
      if (!isObject(node.value) || typeof node.value['$ref'] !== 'string') return node;
      const next = this.resolve(node.value['$ref'], node.at);
      if ('unresolved' in next) return next;
      node = next;
    }
    return { unresolved: 'leads back to itself' };
  }

  /** A place in readable form: `#/paths/~1users`, with the file name if there are several. */
  show(at: Place): string {
    return this.bundle.files.size === 1 ? `#${at.pointer}` : `${at.file}#${at.pointer}`;
  }
}

interface Anchors {
  readonly anchors: ReadonlyMap<string, string>;
  readonly ids: ReadonlyMap<string, string>;
}

// https://json-schema.org/draft/2020-12/json-schema-core#section-8.2
function findAnchors(root: unknown): Anchors {
  const anchors = new Map<string, string>();
  const ids = new Map<string, string>();
  const seen = new Set<object>();
  const walk = (value: unknown, pointer: string): void => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return;
    seen.add(value);
    for (const key of Object.keys(value)) {
      const inner = fieldOf(value, key);
      if (typeof inner === 'object') {
        if (key !== 'enum' && key !== 'examples' && key !== 'example') walk(inner, pointerTo(pointer, key));
      } else if (typeof inner !== 'string') continue;
      else if ((key === '$anchor' || key === '$dynamicAnchor') && !anchors.has(inner))
        anchors.set(inner, pointer);
      else if (key === '$id' && pointer !== '') ids.set(inner.replace(/#$/, ''), pointer);
    }
  };
  walk(root, '');
  return { anchors, ids };
}

/** The place of a child. */
export function below(at: Place, ...keys: readonly (string | number)[]): Place {
  return { file: at.file, pointer: pointerTo(at.pointer, ...keys) };
}

/** A unique key for a place. */
export function placeKey({ file, pointer }: Place): string {
  return `${file}#${pointer}`;
}

/** A reference to a place that works in every file of its bundle. */
export function refTo({ file, pointer }: Place): string {
  const encode = (path: string): string => path.split('/').map(encodeURIComponent).join('/');
  return `/${encode(file)}#${encode(pointer)}`;
}

function relativeTo(from: string, target: string): string | null {
  const parts = target.startsWith('/') ? [] : from.split('/').slice(0, -1);
  for (const part of decodePath(target).split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') {
      if (parts.length === 0) return null;
      parts.pop();
    } else parts.push(part);
  }
  return parts.join('/');
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
