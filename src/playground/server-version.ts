import { createHash } from 'node:crypto';
import type { ServerView } from '../registry/snapshot.ts';

const known = new WeakMap<ServerView, string>();

/** What a server tells models, in a few characters: the same as long as it tells the same. */
export function serverVersion(view: ServerView): string {
  let version = known.get(view);
  if (version === undefined) {
    const hash = createHash('sha256').update(JSON.stringify(view.server.instructions ?? null));
    for (const { name, description, compiled } of view.tools)
      hash.update(JSON.stringify([name, description, compiled.inputSchema]));
    version = hash.digest('hex').slice(0, 10);
    known.set(view, version);
  }
  return version;
}
