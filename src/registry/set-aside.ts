import { registryErrors } from '../domain/error-messages/registry.ts';
import { HandrailError } from '../domain/errors.ts';
import { labelOfRow, type SetAsideRow, nounNames } from '../domain/stored/read-stored.ts';
import { modelNameKey } from '../domain/models/model.ts';
import type { RegistryChange } from '../storage/ports.ts';

type Kind = SetAsideRow['kind'];

/**
 * The stored rows that can't be read. They aren't served, but they keep what is theirs: a name that looks free
 * because its row is damaged must not be assigned to something else.
 */
export class SetAside {
  static readonly none = new SetAside([]);

  readonly rows: readonly SetAsideRow[];
  readonly #byId: ReadonlyMap<string, SetAsideRow>;
  /** By kind and column value, such as `api slug pets`. */
  readonly #byName: ReadonlyMap<string, SetAsideRow>;

  private constructor(rows: readonly SetAsideRow[]) {
    this.rows = rows;
    this.#byId = new Map(rows.map((row) => [keyOf(row.kind, row.id), row]));
    this.#byName = new Map(rows.flatMap((row) => namesOf(row).map((name) => [name, row] as const)));
  }

  static of(rows: readonly SetAsideRow[]): SetAside {
    return rows.length === 0 ? SetAside.none : new SetAside(rows);
  }

  /** The rows after some changes: a row that was written or deleted is no longer set aside, unless it is again. */
  after(changes: readonly RegistryChange[], added: readonly SetAsideRow[]): SetAside {
    if (added.length === 0 && this.rows.length === 0) return this;
    const gone = new Set([...changes.map(keyOfChange), ...added.map(({ kind, id }) => keyOf(kind, id))]);
    const kept = this.rows.filter(({ kind, id }) => !gone.has(keyOf(kind, id)));
    return kept.length === this.rows.length && added.length === 0 ? this : SetAside.of([...kept, ...added]);
  }

  find(kind: string, id: string): SetAsideRow | undefined {
    return this.#byId.get(keyOf(kind, id));
  }

  has(kind: Kind, id: string): boolean {
    return this.find(kind, id) !== undefined;
  }

  /** The API or server with a slug. */
  bySlug(kind: 'api' | 'server' | 'identity-provider', slug: string): SetAsideRow | undefined {
    return this.#byName.get(nameKey(kind, slug));
  }

  /** The tool with a name within an API. */
  toolNamed(apiId: string, name: string): SetAsideRow | undefined {
    return this.#byName.get(nameKey('tool', apiId, name));
  }

  /** The composed tool with a name within a server. */
  composedNamed(serverId: string, name: string): SetAsideRow | undefined {
    return this.#byName.get(nameKey('composed-tool', serverId, name));
  }

  modelNamed(name: string): SetAsideRow | undefined {
    return this.#byName.get(nameKey('model', modelNameKey(name)));
  }

  /** A credential of an API: a caller's, or the shared one. */
  credentialOf(apiId: string, callerId: string | null): SetAsideRow | undefined {
    // Checked on every call.
    return this.rows.length === 0
      ? undefined
      : this.#byName.get(nameKey('credential', apiId, callerId ?? ''));
  }

  /** Tools and credentials of an API. */
  belongingTo(apiId: string): readonly SetAsideRow[] {
    return this.rows.filter(({ columns }) => columns['api_id'] === apiId);
  }

  /** Whether some row of this kind cannot be read. */
  hasAny(kind: Kind): boolean {
    return this.rows.some((row) => row.kind === kind);
  }
}

function keyOf(kind: string, id: string): string {
  return `${kind} ${id}`;
}

function keyOfChange(change: RegistryChange): string {
  if (change.kind !== 'given-name')
    return keyOf(change.kind, change.op === 'put' ? change.entity.id : change.id);
  const { serverId, toolId } = change.op === 'put' ? change.entity : change;
  return keyOf('given-name', `${serverId}/${toolId}`);
}

function nameKey(kind: Kind, ...parts: readonly string[]): string {
  return JSON.stringify([kind, ...parts]);
}

function namesOf({ kind, columns }: SetAsideRow): string[] {
  const {
    slug,
    api_id: apiId,
    server_id: serverId,
    name,
    caller_id: callerId,
    name_key: nameInKey,
  } = columns;
  switch (kind) {
    case 'api':
    case 'server':
    case 'identity-provider':
      return typeof slug === 'string' ? [nameKey(kind, slug)] : [];
    case 'tool':
      return [nameKey(kind, apiId ?? '', name ?? '')];
    case 'composed-tool':
      return [nameKey(kind, serverId ?? '', name ?? '')];
    case 'credential':
      return [nameKey(kind, apiId ?? '', callerId ?? '')];
    case 'model':
      return [nameKey(kind, nameInKey ?? '')];
    default:
      return [];
  }
}

/** The error for something that is blocked by a row that can't be read. */
export function setAsideError(what: string, row: SetAsideRow, path = ''): HandrailError {
  return registryErrors.blockedBySetAside(
    { what, noun: nounNames[row.kind], label: labelOfRow(row) },
    { problems: [{ path, message: 'is used by a stored row that cannot be read' }], current: row.id },
  );
}
