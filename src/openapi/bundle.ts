import { isObject } from '../lib/plain-object.ts';
import { pointerKeys, pointerTo, valueAt } from '../lib/json-pointer.ts';

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

  constructor(bundle: Bundle) {
    this.bundle = bundle;
  }

  /** The place a `$ref` names, without looking whether something stands there. */
  locate(ref: string, from: Place): Place | Unresolved {
    const hash = ref.indexOf('#');
    const target = hash < 0 ? ref : ref.slice(0, hash);
    const fragment = hash < 0 ? '' : ref.slice(hash + 1);
    if (fragment !== '' && !fragment.startsWith('/')) return { unresolved: `names an anchor (${ref})` };
    if (target === '') return { file: from.file, pointer: fragment };
    if (/^[a-z][a-z0-9+.-]*:/i.test(target) || target.startsWith('//')) {
      return { unresolved: `points to another address (${ref}), which is never fetched` };
    }
    const file = relativeTo(from.file, target);
    if (file === null || !this.bundle.files.has(file)) {
      return {
        unresolved: `points to the file ${target}, which was not part of the import: import the folder that holds all files`,
      };
    }
    return { file, pointer: fragment };
  }

  /** The value a `$ref` names. */
  resolve(ref: string, from: Place): Located | Unresolved {
    const place = this.locate(ref, from);
    if ('unresolved' in place) return place;
    const value = valueAt(this.bundle.files.get(place.file), pointerKeys(place.pointer));
    return value === undefined
      ? { unresolved: `points to ${ref}, where there is nothing` }
      : { value, at: place };
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

/** The place of a child. */
export function below(at: Place, ...keys: readonly (string | number)[]): Place {
  return { file: at.file, pointer: pointerTo(at.pointer, ...keys) };
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
