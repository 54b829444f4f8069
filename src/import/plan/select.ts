import type { ImportSelection } from '../../domain/api.ts';
import type { DescribedOperation } from '../../domain/description.ts';
import { importErrors } from '../../domain/error-messages/import.ts';
import { kindOf, toolKinds } from '../../domain/tool.ts';
import { fitsWildcard } from '../../lib/text/wildcard.ts';

/** Returns a test for whether a selection includes an operation. */
export function selects(selection: ImportSelection | undefined): (operation: DescribedOperation) => boolean {
  if (!selection) return () => true;
  // The list from a plan can name every operation of a large document.
  const keys = new Set(selection.operations);
  return (operation) => {
    const [method, path] = split(operation.key);
    const tags = operation.content?.tags ?? [];
    return (
      (keys.size === 0 || keys.has(operation.key)) &&
      fits(selection.methods, (wanted) => wanted.toUpperCase() === method) &&
      fits(selection.paths, (wanted) => fitsWildcard(wanted, path)) &&
      fits(selection.tags, (wanted) => tags.some((tag) => tag.toLowerCase() === wanted.toLowerCase())) &&
      fits(selection.kinds, (wanted) => operation.content !== null && kindOf(operation.content) === wanted) &&
      fits(selection.names, (wanted) => namesOf(operation).some((name) => fitsWildcard(wanted, name)))
    );
  };
}

/** Returns a test for whether a selection names exactly this operation, not a group that it belongs to. */
export function namesExactly(
  selection: ImportSelection | undefined,
): (operation: DescribedOperation) => boolean {
  const keys = new Set(selection?.operations);
  const names = new Set(selection?.names?.map((name) => name.toLowerCase()));
  return (operation) =>
    keys.has(operation.key) || namesOf(operation).some((name) => names.has(name.toLowerCase()));
}

function namesOf(operation: DescribedOperation): string[] {
  return [operation.wantedName, operation.content?.name ?? ''];
}

function split(key: string): [string, string] {
  const at = key.indexOf(' ');
  return [key.slice(0, at), key.slice(at + 1)];
}

function fits(wanted: readonly string[] | undefined, test: (value: string) => boolean): boolean {
  return wanted === undefined || wanted.length === 0 || wanted.some(test);
}

/** Reads `tag:pets`, `method:GET`, `path:/users/*`, `kind:read`, `name:list*`; a word without a prefix is a name. */
export function readSelection(terms: readonly string[]): ImportSelection | undefined {
  const lists = {
    tags: [] as string[],
    methods: [] as string[],
    paths: [] as string[],
    names: [] as string[],
    kinds: [] as string[],
  };
  const prefixes = new Map([
    ['tag', lists.tags],
    ['method', lists.methods],
    ['path', lists.paths],
    ['name', lists.names],
    ['kind', lists.kinds],
  ]);
  for (const term of terms.flatMap((text) => text.split(','))) {
    if (term.trim() === '') continue;
    const [, prefix, value] = /^(?:([a-z]+):)?(.+)$/.exec(term.trim()) ?? [];
    const list = prefixes.get(prefix ?? 'name');
    if (list === undefined || (list === lists.kinds && !toolKinds.some((kind) => kind === value)))
      throw importErrors.selectsNothing({ term });
    list.push(value!);
  }
  const given = Object.entries(lists).filter(([, values]) => values.length > 0);
  return given.length === 0 ? undefined : Object.fromEntries(given);
}
