import type { Api } from '../../domain/api.ts';
import type { ImportNote } from '../../domain/description.ts';
import { documentOrigin } from '../../domain/places/document-origins.ts';
import type { Snapshot } from '../../registry/snapshot.ts';
import type { DocumentOrigin } from './import-plan.ts';

/** Where an API's document sends tools besides the API's own address. */
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

/** What a plan says about origins that nobody has agreed to. */
export function originNotes(api: Api, origins: readonly DocumentOrigin[]): ImportNote[] {
  return origins
    .filter(({ agreed }) => !agreed)
    .map(({ origin, tools }) => ({
      code: 'origin_not_agreed',
      message: `The document sends ${tools} ${tools === 1 ? 'tool' : 'tools'} to ${origin}. The secrets of the API do not go there until you agree (--agree-origin ${origin}, or later: handrail apis agree ${api.slug} ${origin}).`,
    }));
}
