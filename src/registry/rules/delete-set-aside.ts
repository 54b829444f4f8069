import { registryErrors } from '../../domain/error-messages/registry.ts';
import type { SetAsideRow, EntityKind } from '../../domain/stored/read-stored.ts';
import type { RegistryChange } from '../../storage/ports.ts';
import type { Decision } from '../registry.ts';
import { composedOf } from '../build-snapshot.ts';
import { allToolsOf, type Snapshot } from '../snapshot.ts';

/** Finds a row that was set aside, or throws `not_found`. */
export function findSetAside({ setAside }: Snapshot, kind: string, id: string): SetAsideRow {
  const row = setAside.find(kind, id);
  if (row !== undefined) return row;
  throw registryErrors.setAsideNotFound({ kind, id });
}

/**
 * Deletes a row that can't be read, and what can't exist without it: an API's tools and credentials, a server's
 * assigned names, composed tools and checks.
 */
export function deleteSetAside(snapshot: Snapshot, kind: string, id: string): Decision<SetAsideRow> {
  const row = findSetAside(snapshot, kind, id);
  return { changes: deletionsOf(snapshot, row), result: row };
}

function deletionsOf(snapshot: Snapshot, row: SetAsideRow): RegistryChange[] {
  switch (row.kind) {
    case 'given-name':
      return [
        {
          op: 'delete',
          kind: 'given-name',
          serverId: row.columns['server_id'] ?? '',
          toolId: row.columns['tool_id'] ?? '',
        },
      ];
    case 'server':
      return [
        ...[...(snapshot.givenNames.get(row.id)?.keys() ?? [])].map(
          (toolId) => ({ op: 'delete', kind: 'given-name', serverId: row.id, toolId }) as const,
        ),
        ...composedOf(snapshot, row.id).map(({ id }) => deletion('composed-tool', id)),
        ...[...snapshot.checks.values()]
          .filter(({ serverId }) => serverId === row.id)
          .map(({ id }) => deletion('check', id)),
        { op: 'delete', kind: 'server', id: row.id },
      ];
    case 'api':
      return [...deletionsBelow(snapshot, row.id), { op: 'delete', kind: 'api', id: row.id }];
    default:
      return [deletion(row.kind, row.id)];
  }
}

function deletionsBelow(snapshot: Snapshot, apiId: string): RegistryChange[] {
  const tools = allToolsOf(snapshot, apiId).map(({ id }) => deletion('tool', id));
  const credentials = [...snapshot.credentials.values()]
    .filter((credential) => credential.apiId === apiId)
    .map(({ id }) => deletion('credential', id));
  const unread = snapshot.setAside
    .belongingTo(apiId)
    .flatMap(({ kind, id }) => (kind === 'given-name' ? [] : [deletion(kind, id)]));
  return [...tools, ...credentials, ...unread];
}

function deletion(kind: EntityKind, id: string): RegistryChange {
  return { op: 'delete', kind, id };
}
