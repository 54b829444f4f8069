import type { ServerView } from '../../registry/snapshot.ts';

/** The slug of the server that carries the conformance fixtures. */
export const conformanceSlug = 'conformance';

const made = new WeakMap<ServerView, ServerView>();

/** The conformance server: the fixtures come from `conformanceFeatures`, the REST tools from another server. */
export function conformanceView(base: ServerView): ServerView {
  let view = made.get(base);
  if (!view) {
    const server = {
      ...base.server,
      id: 'srv_conformance',
      slug: conformanceSlug,
      name: 'Conformance fixtures',
      policy: { kind: 'open' as const },
    };
    view = { ...base, server };
    made.set(base, view);
  }
  return view;
}
