import type { Api } from '../../domain/api.ts';
import type { ImportNote } from '../../domain/description.ts';
import { documentOrigin } from '../../domain/places/document-origins.ts';
import type { Snapshot } from '../../registry/snapshot.ts';
import type { DocumentOrigin } from './import-plan.ts';

/** Origins that an API's document names for tools, other than the API's own. */
export function documentOrigins(snapshot: Snapshot, api: Api): DocumentOrigin[] {
  const counts = new Map<string, number>();
  for (const id of snapshot.toolsByApi.get(api.id)?.values() ?? []) {
    const origin = documentOrigin(api, snapshot.tools.get(id)!);
    if (origin !== null) counts.set(origin, (counts.get(origin) ?? 0) + 1);
  }
  return [...counts].map(([origin, tools]) => ({
    origin,
    tools,
    agreed: api.agreedOrigins?.includes(origin) ?? false,
  }));
}

/** A plan's notes about origins that no one has agreed to. */
export function originNotes(api: Api, origins: readonly DocumentOrigin[]): ImportNote[] {
  return origins
    .filter(({ agreed }) => !agreed)
    .map(({ origin, tools }) => ({
      code: 'origin_not_agreed',
      message: `The document sends ${tools} ${tools === 1 ? 'tool' : 'tools'} to ${origin}. The API's secrets are not sent there until you agree (--agree-origin ${origin}, or later: handrail apis agree ${api.slug} ${origin}).`,
    }));
}
