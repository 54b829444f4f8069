import { eitherOf, nearestNames } from '../lib/text/nearest-names.ts';
import { type AdminClient, listAll } from './admin-client.ts';
import { type CommandInput, type OptionSpec, texts, UsageError } from './command.ts';
import { type ListShape, showDone, showList, showWhole } from './show.ts';

/** A noun of the admin API, as far as the actions that every noun's command shares need it. */
export interface NounActions<T> {
  /** In messages, such as "the access key". */
  readonly noun: string;
  /** Below `/api/v1`, such as `/keys`. */
  readonly path: string;
  readonly shape: ListShape<T>;
  /** Everything to list; by default, all pages at `path`. */
  readonly list?: (client: AdminClient) => Promise<readonly T[]>;
  /** The body of an update, from the options of the command. */
  readonly changes?: (input: CommandInput) => object;
  /** False for a noun that is replaced instead of edited. */
  readonly isEditable?: boolean;
  /** What an update reports. */
  readonly saved?: (item: T) => string;
  /** Actions that only this noun has, or does in its own way; each takes the second word. */
  readonly own?: Readonly<Record<string, (reference: string) => Promise<number>>>;
}

/** The option that makes every field of a noun editable. */
export const setOption: Readonly<Record<'set', OptionSpec>> = {
  set: {
    type: 'string',
    multiple: true,
    value: 'FIELD=VALUE',
    about:
      'With update: a field of the admin API to change. The value is JSON, or plain text; null removes an optional field.',
  },
};

/** Runs `list`, `show`, `update` and `delete` of a noun, or one of its own actions. No action lists. */
export async function runNounAction<T>(
  input: CommandInput,
  client: AdminClient,
  actions: NounActions<T>,
): Promise<number> {
  const { noun, path, shape, own = {}, isEditable = true } = actions;
  const [action, reference] = input.words;
  if (action === undefined || action === 'list')
    return showList(input, await (actions.list?.(client) ?? listAll<T>(client, path)), shape);
  const known = new Set(['list', 'show', ...(isEditable ? ['update'] : []), 'delete', ...Object.keys(own)]);
  if (!known.has(action)) throw unknownAction(action, [...known]);
  if (reference === undefined) throw new UsageError(`${noun} is missing`);
  const ownAction = own[action];
  if (ownAction !== undefined) return ownAction(reference);
  const place = `${path}/${encodeURIComponent(reference)}`;
  if (action === 'show') return showWhole(input, await client.request('GET', place));
  if (action === 'delete') {
    await client.request('DELETE', place);
    return showDone(input, `${reference}: deleted`);
  }
  const item = await client.request<T>('PATCH', place, changesOf(input, actions.changes?.(input)));
  return showDone(input, actions.saved?.(item) ?? `${reference}: saved`, item);
}

/** The fields given with `--set`, added to those of the command's own options. */
function changesOf(input: CommandInput, fromOptions: object = {}): object {
  const changes = { ...fromOptions, ...fieldsSet(input) };
  if (Object.keys(changes).length === 0)
    throw new UsageError('nothing to change: give --set FIELD=VALUE or another option');
  return changes;
}

/** The fields given with `--set`, by name. */
export function fieldsSet(input: CommandInput): Record<string, unknown> {
  return Object.fromEntries(
    texts(input, 'set').map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw new UsageError(`--set ${pair} is not FIELD=VALUE`);
      return [pair.slice(0, at), valueOf(pair.slice(at + 1))];
    }),
  );
}

/** The error for an action that a command does not have. */
function unknownAction(action: string, known: readonly string[]): UsageError {
  const near = nearestNames(action, known);
  return new UsageError(
    `unknown action "${action}"; ${near.length > 0 ? `did you mean ${eitherOf(near)}?` : `use ${eitherOf([...known])}`}`,
  );
}

function valueOf(given: string): unknown {
  try {
    const value: unknown = JSON.parse(given);
    return value;
  } catch {
    if (/^[[{"]/.test(given)) throw new UsageError(`--set: ${given} is not valid JSON`);
    return given;
  }
}
