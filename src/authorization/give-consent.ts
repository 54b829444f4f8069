import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import { entryKinds } from '../access/tokens/granted-tokens.ts';
import {
  type ConnectedApp,
  connectedApp,
  type Consent,
  isConsented,
  kindScope,
  placeOf,
  readScope,
  toolScope,
} from '../domain/connected-app.ts';
import { kindOf, type ToolKind } from '../domain/tool.ts';
import { readJson } from '../lib/schema/read-json.ts';
import { oneLine } from '../lib/text/one-line.ts';
import type { ListedTool, ServerView } from '../registry/snapshot.ts';
import type { GrantStore } from '../storage/ports.ts';
import { maxClientName } from './register-client.ts';

/** What an app asks a person for. */
export interface AskedConsent {
  readonly app: Pick<ConnectedApp, 'clientId' | 'name' | 'domain' | 'redirectsTo'>;
  readonly view: ServerView;
  /** The kinds of tools that it asks for. */
  readonly kinds: readonly ToolKind[];
  /** Tools that it asks for by name. */
  readonly tools: readonly ListedTool[];
  readonly resource: string;
}

/** How long a code may take to be exchanged; then an app that never did is no longer listed. */
const unclaimedMs = 10 * 60_000;
export const maxAppsPerPerson = 200;

/** What the sign-in of this browser asks for; null if there is none, or it has expired. */
export async function readAsked(
  provider: Provider,
  req: IncomingMessage,
  res: ServerResponse,
  serverOf: (resource: string) => ServerView | undefined,
): Promise<AskedConsent | null> {
  let interaction;
  try {
    interaction = await provider.interactionDetails(req, res);
  } catch {
    return null;
  }
  const { client_id: clientId, redirect_uri: redirectUri, resource, scope } = interaction.params;
  if (typeof clientId !== 'string' || typeof resource !== 'string' || typeof redirectUri !== 'string')
    return null;
  const client = await provider.Client.find(clientId);
  const view = serverOf(resource);
  if (client === undefined || view === undefined) return null;
  const { kinds, tools } = readScope(typeof scope === 'string' ? scope : '');
  const domain = verifiedDomain(clientId);
  return {
    app: {
      clientId,
      name: oneLine(client.clientName ?? '', maxClientName) || domain || 'Unnamed app',
      ...(domain !== undefined && { domain }),
      redirectsTo: placeOf(redirectUri),
    },
    view,
    kinds,
    tools: tools.flatMap((name) => view.byName.get(name) ?? []),
    resource,
  };
}

/** What the person last allowed this app on this server, so that a repeated sign-in doesn't widen it by accident. */
export async function lastConsent(
  grants: GrantStore,
  personId: string,
  { app, view }: AskedConsent,
  nowMs: number,
): Promise<Consent | null> {
  const entries = await grants.list(entryKinds.connectedApp, { personId, nowMs, limit: maxAppsPerPerson });
  for (const { doc } of entries) {
    const earlier = readJson(connectedApp, doc);
    if (earlier?.clientId === app.clientId && earlier.serverId === view.server.id) return earlier.consent;
  }
  return null;
}

/** The tools that a consent can be about, each with its kind. */
export function askedTools({
  view,
  kinds,
  tools,
}: AskedConsent): { readonly listed: ListedTool; readonly kind: ToolKind }[] {
  return view.tools
    .map((listed) => ({ listed, kind: kindOf(listed.compiled.tool) }))
    .filter(({ listed, kind }) => kinds.includes(kind) || tools.includes(listed));
}

/** Connects the app; returns where the browser continues. */
export async function grantConsent(
  provider: Provider,
  grants: GrantStore,
  request: { readonly req: IncomingMessage; readonly res: ServerResponse },
  asked: AskedConsent,
  given: { readonly personId: string; readonly consent: Consent; readonly nowMs: number },
): Promise<{ readonly returnTo: string; readonly app: ConnectedApp }> {
  const { personId, consent, nowMs } = given;
  const { app, view, resource } = asked;
  await makeRoom(grants, personId, nowMs);
  const grant = new provider.Grant({ accountId: personId, clientId: app.clientId });
  grant.addResourceScope(resource, scopeOf(asked, consent));
  grant.addOIDCScope('offline_access');
  // Not derived from anything, and never shown to the app.
  grant.jti = `grant_${randomUUID()}`;
  const grantId = await grant.save();
  const connected: ConnectedApp = {
    id: grantId,
    personId,
    serverId: view.server.id,
    ...app,
    consent,
    createdAtMs: nowMs,
  };
  await grants.put({
    name: grantId,
    kind: entryKinds.connectedApp,
    grantId,
    personId,
    createdAtMs: nowMs,
    expiresAtMs: nowMs + unclaimedMs,
    doc: JSON.stringify(connected),
  });
  const returnTo = await provider.interactionResult(
    request.req,
    request.res,
    { login: { accountId: personId, remember: false }, consent: { grantId } },
    { mergeWithLastSubmission: false },
  );
  return { returnTo, app: connected };
}

/** Tells the app that the person refused; returns where the browser continues. */
export function refuseConsent(
  provider: Provider,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<string> {
  return provider.interactionResult(
    req,
    res,
    { error: 'access_denied', error_description: 'The person did not allow it.' },
    { mergeWithLastSubmission: false },
  );
}

/** The granted scopes as the app reads them. */
function scopeOf(asked: AskedConsent, consent: Consent): string {
  const single = askedTools(asked).filter(
    ({ listed, kind }) =>
      asked.tools.includes(listed) && isConsented(consent, { id: listed.compiled.tool.id, kind }),
  );
  // A person may leave everything out: the app is connected then, and finds an empty list.
  return [
    ...consent.kinds.map(kindScope),
    ...single.map(({ listed }) => toolScope(listed.name)),
    'offline_access',
  ].join(' ');
}

/** Ends the oldest when a person has too many. */
async function makeRoom(grants: GrantStore, personId: string, nowMs: number): Promise<void> {
  const entries = await grants.list(entryKinds.connectedApp, {
    personId,
    nowMs,
    limit: maxAppsPerPerson + 50,
  });
  for (const { grantId } of entries.slice(maxAppsPerPerson - 1))
    if (grantId !== undefined) await grants.endGrant(grantId);
}

/** The domain of a client metadata document; undefined for a client that registered itself. */
function verifiedDomain(clientId: string): string | undefined {
  return clientId.startsWith('https://') && URL.canParse(clientId) ? new URL(clientId).host : undefined;
}
