import { fieldOf, isObject } from '../lib/json/plain-object.ts';
import { pointerKeys, pointerTo, valueAt } from '../lib/json/json-pointer.ts';

/** One or several files that belong together, read but not interpreted. File names are relative, with `/`. */
export interface Bundle {
  readonly root: string;
  readonly files: ReadonlyMap<string, unknown>;
}

/** A place in a bundle. */
export interface Place {
  readonly file: string;
  readonly pointer: string;
}

/** A value and where it stands, so that references in it resolve and notes can say where. */
export interface Located<T = unknown> {
  readonly value: T;
  readonly at: Place;
}

/** A reference that leads nowhere we may go, and why. */
export interface Unresolved {
  readonly unresolved: string;
}

const maxChain = 64;

/** Follows references inside a bundle: never to the network, never to the file system. */
export class Resolver {
  readonly bundle: Bundle;
  /** The root document's own addresses: a reference to one of them stays in the bundle. */
  readonly #ownUrls: ReadonlySet<string>;
  readonly #anchors = new Map<string, Anchors>();

  constructor(bundle: Bundle, ownUrls: readonly (string | undefined)[] = []) {
    this.bundle = bundle;
    this.#ownUrls = new Set(ownUrls.filter((url) => url !== undefined));
  }

  /** The place a `$ref` names, without looking whether something stands there. */
  locate(ref: string, from: Place): Place | Unresolved {
    const hash = ref.indexOf('#');
    const target = hash < 0 ? ref : ref.slice(0, hash);
    const fragment = hash < 0 ? '' : ref.slice(hash + 1);
    if (target === '') return this.#within(from.file, fragment, ref);
    // A schema may have an address of its own (`$id`), which is a name here, never fetched.
    const named = this.#anchorsOf(from.file).ids.get(target);
    if (named !== undefined) {
      const inner = fragment === '' || fragment.startsWith('/');
      return inner ? { file: from.file, pointer: named + fragment } : this.#within(from.file, fragment, ref);
    }
    if (this.#ownUrls.has(target)) return this.#within(this.bundle.root, fragment, ref);
    if (/^[a-z][a-z0-9+.-]*:/i.test(target) || target.startsWith('//')) {
      return { unresolved: `points to another address (${ref}), which is never fetched` };
    }
    const file = relativeTo(from.file, target);
    if (file === null || !this.bundle.files.has(file)) {
      return {
        unresolved: `points to the file ${target}, which was not part of the import: import the folder that holds all files`,
      };
    }
    return this.#within(file, fragment, ref);
  }

  #within(file: string, fragment: string, ref: string): Place | Unresolved {
    if (fragment === '' || fragment.startsWith('/')) return { file, pointer: fragment };
    const pointer = this.#anchorsOf(file).anchors.get(decodePath(fragment));
    return pointer === undefined
      ? { unresolved: `names an anchor (${ref}) that is nowhere` }
      : { file, pointer };
  }

  // Looked for once in a file, and only when a reference may need it.
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
    // `#/$defs/A` in a schema that was moved into the document: its own root is meant.
    if (ref.startsWith('#') && (keys[0] === '$defs' || keys[0] === 'definitions')) {
      const above = pointerKeys(from.pointer);
      for (let length = above.length; length > 0; length--) {
        const path = [...above.slice(0, length), ...keys];
        const found = valueAt(root, path);
        if (found !== undefined)
          return { value: found, at: { file: place.file, pointer: pointerTo('', ...path) } };
      }
    }
    return { unresolved: `points to ${ref}, where there is nothing` };
  }

  /** Follows a value's own `$ref`, and that one's, until something else stands there. */
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

  /** A place as people read it: `#/paths/~1users`, with the file's name when there are several. */
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

/** Tells places apart. */
export function placeKey({ file, pointer }: Place): string {
  return `${file}#${pointer}`;
}

/** A reference that leads to a place from every file of its bundle. */
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
