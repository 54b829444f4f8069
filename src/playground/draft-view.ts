import { HandrailError } from '../domain/errors.ts';
import type { Server } from '../domain/server.ts';
import type { Importer, ImportRequest } from '../import/importer.ts';
import { suggestion } from '../lib/text/nearest-names.ts';
import { applyChanges } from '../registry/build-snapshot.ts';
import type { ServerView, Snapshot } from '../registry/snapshot.ts';

/** What somebody proposes to tell models instead of what is told now. */
export interface Draft {
  /** By the names that the server gives its tools. */
  readonly descriptions?: Readonly<Record<string, string>> | undefined;
  /** What the server says about itself; null for nothing. */
  readonly instructions?: string | null | undefined;
  /** A document, or overlays of one, that is not imported yet. */
  readonly import?: ImportRequest | undefined;
}

/** The server as it would be; nothing is written. */
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
      throw new HandrailError(
        'invalid_input',
        `The server "${slug}" has no tool ${JSON.stringify(name.slice(0, 100))}.${suggestion(name, new Set(view.byName.keys()))}`,
        { problems: [{ path: '/draft/descriptions', message: 'names a tool that is not there' }] },
      );
    const { id } = listed.compiled.tool;
    overrides[id] = { ...overrides[id], description };
  }
  const { instructions: before, ...rest } = view.server;
  const said = instructions === undefined ? before : (instructions ?? undefined);
  const server: Server = { ...rest, overrides, ...(said !== undefined && { instructions: said }) };
  const change = { op: 'put', kind: 'server', entity: server } as const;
  return viewIn(applyChanges(after, [change], after.seq), slug);
}

function viewIn(snapshot: Snapshot, slug: string): ServerView {
  const view = snapshot.view(slug);
  if (view !== undefined) return view;
  throw new HandrailError('conflict', `The server "${slug}" is disabled: enable it first.`);
}
