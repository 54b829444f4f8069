import { entryKinds, type GrantedTokens } from '../access/tokens/granted-tokens.ts';
import type { Actor, AuditEntry } from '../domain/audit.ts';
import { type ConnectedApp, connectedApp } from '../domain/connected-app.ts';
import { authorizationErrors } from '../domain/error-messages/authorization.ts';
import { readJson } from '../lib/schema/read-json.ts';
import { auditEntry } from '../registry/audit-entries.ts';
import type { AuditStore, GrantStore, StoredGrantEntry } from '../storage/ports.ts';

/** A connected app, and when it was used last. */
export interface ListedApp extends ConnectedApp {
  readonly usedAtMs: number | null;
  readonly expiresAtMs: number;
}

/** The apps that people connected. */
export interface ConnectedApps {
  /** Newest first; of one person, or of all. */
  list(options: {
    readonly personId?: string | undefined;
    readonly limit: number;
    readonly beforeMs?: number | undefined;
  }): Promise<readonly ListedApp[]>;
  /** One app; only the person's own if `personId` is given. */
  find(id: string, personId?: string): Promise<ListedApp>;
  /** Disconnects an app: its tokens stop working within a second, everywhere. Only the person's own if `personId` is given. */
  revoke(id: string, actor: Actor, personId?: string): Promise<ListedApp>;
  /** Writes something about a connected app to the audit log. */
  note(actor: Actor, action: string, app: Pick<ConnectedApp, 'id' | 'name'>, after?: object): Promise<void>;
}

export function createConnectedApps(options: {
  readonly grants: GrantStore;
  readonly audit: Pick<AuditStore, 'add'>;
  readonly granted: Pick<GrantedTokens, 'recheck'>;
  readonly now: () => number;
}): ConnectedApps {
  const { grants, audit, granted, now } = options;

  async function find(id: string, personId?: string): Promise<ListedApp> {
    const entry = await grants.get(entryKinds.connectedApp, id, now());
    const app = entry && listedApp(entry);
    if (app === null || (personId !== undefined && app.personId !== personId))
      throw authorizationErrors.appNotFound({ id });
    return app;
  }

  const note: ConnectedApps['note'] = async (actor, action, { id, name }, after) => {
    const entry: AuditEntry = auditEntry(actor, now(), action, { kind: 'connected-app', id, label: name });
    await audit.add([after === undefined ? entry : { ...entry, after: JSON.stringify(after) }]);
  };

  return {
    async list({ personId, limit, beforeMs }) {
      const entries = await grants.list(entryKinds.connectedApp, { nowMs: now(), personId, limit, beforeMs });
      return entries.flatMap((entry) => listedApp(entry) ?? []);
    },
    find,
    async revoke(id, actor, personId) {
      const app = await find(id, personId);
      await grants.endGrant(id);
      await granted.recheck();
      await note(actor, 'connected_app.revoke', app);
      return app;
    },
    note,
  };
}

/** Null when the row cannot be read: then it gives no access either. */
function listedApp({ doc, usedAtMs, expiresAtMs }: StoredGrantEntry): ListedApp | null {
  const app = readJson(connectedApp, doc);
  return app && { ...app, usedAtMs: usedAtMs ?? null, expiresAtMs };
}
