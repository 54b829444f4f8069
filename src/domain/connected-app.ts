import { choice, type Infer, list, object, optional, text } from '../lib/schema/schema.ts';
import { idText, timeMs } from './fields/row-fields.ts';
import { type ToolKind, toolKinds } from './tool.ts';

/** What a person allowed an app to do on one server. */
export const consent = object({
  /** It may use every tool of these kinds, now and later. */
  kinds: list(choice(...toolKinds), { max: toolKinds.length }),
  /** Ids of tools that were left out. */
  except: list(idText, { max: 100_000 }),
  /** Ids of tools of other kinds that were allowed one by one. */
  also: list(idText, { max: 100_000 }),
});

export type Consent = Infer<typeof consent>;

const nameText = text({ min: 1, max: 200 });

/** An app that a person signed in to a server with: one grant of the built-in authorization server. */
export const connectedApp = object({
  /** The id of its grant. */
  id: text({ min: 1, max: 200 }),
  personId: idText,
  serverId: idText,
  /** The client's id: made by us, or the URL of its metadata document. */
  clientId: text({ min: 1, max: 4_000 }),
  /** How it calls itself. */
  name: nameText,
  /** The domain that vouches for it, because its metadata document is there; absent if anyone could claim its name. */
  domain: optional(nameText),
  /** Where its sign-ins end: a host, or the scheme of an app on a device. */
  redirectsTo: optional(text({ max: 300 })),
  consent,
  createdAtMs: timeMs,
});

export type ConnectedApp = Infer<typeof connectedApp>;

/** Where a redirect URI leads, for people: a host, or the scheme of an app. */
export function placeOf(uri: string): string {
  const { protocol, host } = new URL(uri);
  return (protocol === 'https:' || protocol === 'http:' ? host : protocol).slice(0, 300);
}

/** Whether a consent covers a tool. */
export function isConsented(
  { kinds, except, also }: Consent,
  tool: { readonly id: string; readonly kind: ToolKind },
): boolean {
  return also.includes(tool.id) || (kinds.includes(tool.kind) && !except.includes(tool.id));
}

const kindPrefix = 'tools:';
const toolPrefix = 'tool:';

/** The scope for every tool of a kind. */
export function kindScope(kind: ToolKind): string {
  return `${kindPrefix}${kind}`;
}

/** The scope for a single tool, by its name on the server. */
export function toolScope(name: string): string {
  return `${toolPrefix}${name}`;
}

/** The scopes that a server with sign-in advertises. */
export const kindScopes: readonly string[] = toolKinds.map(kindScope);

/** The kinds and the names of single tools in a scope parameter; anything else in it is ignored. */
export function readScope(scope: string): {
  readonly kinds: readonly ToolKind[];
  readonly tools: readonly string[];
} {
  const words = [...new Set(scope.split(' '))];
  return {
    kinds: toolKinds.filter((kind) => words.includes(kindScope(kind))),
    tools: words.filter((word) => word.startsWith(toolPrefix)).map((word) => word.slice(toolPrefix.length)),
  };
}
