import type { Logger } from 'pino';
import { handrailItself } from '../domain/audit.ts';
import { HandrailError } from '../domain/errors.ts';
import type { Decision, Registry } from '../registry/registry.ts';
import type { Snapshot } from '../registry/snapshot.ts';
import type { RegistryChange, RegistryStore } from '../storage/ports.ts';
import { type SealedFields, secretsInApi, secretsInTool } from './sealed-fields.ts';

/** A registry store that keeps secrets in its rows sealed and returns them opened. */
export interface SealedRegistry extends RegistryStore {
  /** The rows of the last load with a secret in plain text, under a name that earlier versions did not treat as secret. */
  readonly unsealed: readonly { readonly kind: 'api' | 'tool'; readonly id: string }[];
}

/** Seals secrets in APIs and tools before they are stored, and opens them when they are read. */
export function sealRegistry(store: RegistryStore, fields: SealedFields): SealedRegistry {
  let unsealed: SealedRegistry['unsealed'] = [];

  const opened = (change: RegistryChange): RegistryChange => {
    if (change.op !== 'put') return change;
    if (change.kind === 'api') return { ...change, entity: fields.openApi(change.entity) };
    return change.kind === 'tool' ? { ...change, entity: fields.openTool(change.entity) } : change;
  };
  const sealed = (change: RegistryChange): RegistryChange => {
    if (change.op !== 'put') return change;
    if (change.kind === 'api') return { ...change, entity: fields.sealApi(change.entity) };
    return change.kind === 'tool' ? { ...change, entity: fields.sealTool(change.entity) } : change;
  };

  return {
    get unsealed() {
      return unsealed;
    },
    async load() {
      const state = await store.load();
      unsealed = [
        ...state.apis
          .filter((api) => secretsInApi(api).plain > 0)
          .map(({ id }) => ({ kind: 'api' as const, id })),
        ...state.tools
          .filter((tool) => secretsInTool(tool).plain > 0)
          .map(({ id }) => ({ kind: 'tool' as const, id })),
      ];
      return { ...state, apis: state.apis.map(fields.openApi), tools: state.tools.map(fields.openTool) };
    },
    async changesSince(seq) {
      const delta = await store.changesSince(seq);
      return delta && { ...delta, changes: delta.changes.map(opened) };
    },
    commit: (expectedSeq, changes, audit) => store.commit(expectedSeq, changes.map(sealed), audit),
  };
}

/** Seals secrets in rows from versions that did not treat their names as secret. */
export async function sealPlainSecrets(options: {
  readonly registry: Registry;
  readonly rows: SealedRegistry;
  readonly log: Logger;
}): Promise<void> {
  const { registry, rows, log } = options;
  if (rows.unsealed.length === 0) return;
  try {
    await registry.commit(handrailItself, (snapshot) => ({
      changes: rows.unsealed.flatMap(({ kind, id }) => putAgain(snapshot, kind, id)),
      result: undefined,
    }));
    log.info({ rows: rows.unsealed.length }, 'secrets in headers and fixed parameters are now encrypted');
  } catch (error) {
    if (!(error instanceof HandrailError)) throw error;
    log.warn(`Secrets in headers and fixed parameters remain in plain text for now: ${error.message}`);
  }
}

function putAgain(snapshot: Snapshot, kind: 'api' | 'tool', id: string): RegistryChange[] {
  if (kind === 'api') {
    const entity = snapshot.apis.get(id);
    return entity === undefined ? [] : [{ op: 'put', kind, entity }];
  }
  const entity = snapshot.tools.get(id);
  return entity === undefined ? [] : [{ op: 'put', kind, entity }];
}

/** Stores every row with secrets again, which seals them with the newest key; reports those that cannot be opened. */
export function resealRows(snapshot: Snapshot, onUnreadable: (name: string) => void): Decision<number> {
  const changes: RegistryChange[] = [];
  for (const entity of snapshot.apis.values()) {
    const { plain, sealed } = secretsInApi(entity);
    if (plain > 0) changes.push({ op: 'put', kind: 'api', entity });
    if (sealed > 0) onUnreadable(`headers of the API "${entity.slug}"`);
  }
  for (const entity of snapshot.tools.values()) {
    const { plain, sealed } = secretsInTool(entity);
    if (plain > 0) changes.push({ op: 'put', kind: 'tool', entity });
    if (sealed > 0) onUnreadable(`fixed parameters of the tool "${entity.name}"`);
  }
  return { changes, result: changes.length };
}
