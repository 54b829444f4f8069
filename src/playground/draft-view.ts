import { playgroundErrors } from '../domain/error-messages/playground.ts';
import type { Server } from '../domain/server.ts';
import type { Importer, ImportRequest } from '../import/importer.ts';
import { suggestion } from '../lib/text/nearest-names.ts';
import { applyChanges } from '../registry/build-snapshot.ts';
import type { ServerView, Snapshot } from '../registry/snapshot.ts';

/** Proposed changes to what models see of a server. */
export interface Draft {
  /** By the names that the server gives its tools. */
  readonly descriptions?: Readonly<Record<string, string>> | undefined;
  /** The server's instructions; null for none. */
  readonly instructions?: string | null | undefined;
  /** A document, or overlays for one, that isn't imported yet. */
  readonly import?: ImportRequest | undefined;
}

/** The server with the draft applied; nothing is stored. */
export async function draftView(
  snapshot: Snapshot,
  slug: string,
  draft: Draft,
  importer: Pick<Importer, 'draft'>,
): Promise<ServerView> {
  const after = draft.import === undefined ? snapshot : await importer.draft(draft.import);
  const view = viewIn(after, slug);
  const { descriptions = {}, instructions } = draft;
  const overrides: Record<string, NonNullable<Server['overrides'][string]>> = { ...view.server.overrides };
  for (const [name, description] of Object.entries(descriptions)) {
    const listed = view.byName.get(name);
    if (listed === undefined)
      throw playgroundErrors.draftToolUnknown(
        {
          server: slug,
          tool: JSON.stringify(name.slice(0, 100)),
          suggestion: suggestion(name, new Set(view.byName.keys())),
        },
        { problems: [{ path: '/draft/descriptions', message: 'refers to a tool that does not exist' }] },
      );
    const { id } = listed.compiled.tool;
    overrides[id] = { ...overrides[id], description };
  }
  const { instructions: before, ...rest } = view.server;
  const effective = instructions === undefined ? before : (instructions ?? undefined);
  const server: Server = { ...rest, overrides, ...(effective !== undefined && { instructions: effective }) };
  const change = { op: 'put', kind: 'server', entity: server } as const;
  return viewIn(applyChanges(after, [change], after.seq), slug);
}

function viewIn(snapshot: Snapshot, slug: string): ServerView {
  const view = snapshot.view(slug);
  if (view !== undefined) return view;
  throw playgroundErrors.serverDisabled({ server: slug });
}
