import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Configuration, KoaContextWithOIDC, Provider as ProviderType } from 'oidc-provider';
import requestContext from 'oidc-provider/lib/helpers/als.js';
import { InvalidClientAuth, InvalidTarget } from 'oidc-provider/lib/helpers/errors.js';
import { Check, Prompt } from 'oidc-provider/lib/helpers/interaction_policy/index.js';
import { Provider } from 'oidc-provider/lib/provider.js';
import type { People } from '../access/people.ts';
import { kindScopes, readScope, toolScope } from '../domain/connected-app.ts';
import { isLoopback } from '../lib/network/address-list.ts';
import type { ServerView } from '../registry/snapshot.ts';
import type { GrantStore } from '../storage/ports.ts';
import { createEntriesAdapter, type OnReuse } from './entries-adapter.ts';
import { clientAlgorithms, clientAuthMethods, grantLifeS, paths, tokenLifeS } from './metadata.ts';
import type { SigningJwk } from './signing-keys.ts';

/** What a page about a failed sign-in shows. */
export interface SignInFailure {
  readonly code: string;
  readonly description: string;
  /** Where the app expects to hear of it. */
  readonly returnTo?: string;
}

/** The authorization server, as the HTTP surface uses it. */
export interface LoadedProvider {
  readonly provider: ProviderType;
  /** Serves one of its own addresses. */
  serve(req: IncomingMessage, res: ServerResponse): void;
}

export interface ProviderOptions {
  readonly issuer: string;
  readonly keys: readonly SigningJwk[];
  readonly cookieKey: string;
  readonly grants: GrantStore;
  readonly onEnded: () => Promise<void>;
  readonly onReuse: OnReuse;
  readonly fetch: (url: string | URL) => Promise<Response>;
  /** Whether apps can name a metadata document instead of registering. */
  readonly clientDocuments: boolean;
  readonly people: Pick<People, 'personAtVersion'>;
  readonly serverOf: (resource: string) => ServerView | undefined;
  /** The resource of a request that names none; undefined unless only one server can be meant. */
  readonly onlyResource: () => string | undefined;
  /** May throw when too many documents of clients were fetched for this address. */
  readonly allowFetch: (req: IncomingMessage) => boolean;
  readonly errorPage: (
    req: IncomingMessage,
    failure: SignInFailure,
  ) => { readonly html: string; readonly headers: Readonly<Record<string, string>> };
  readonly onTrouble: (error: unknown) => void;
  readonly now: () => number;
}

/** Creates the authorization server with oidc-provider, narrowed to what MCP clients need. */
export function createProvider(options: ProviderOptions): LoadedProvider {
  const { issuer, grants, onEnded, onReuse, people, serverOf, now } = options;
  const url = new URL(issuer);
  const provider = new Provider(issuer, configurationOf(options));
  provider.proxy = true;
  provider.use(async (ctx, next) => {
    await next();
    // Anyone can register any address, so no one is sent to one before they were asked (RFC 9700 section 4.11.2).
    const to = ctx.path === paths.authorize ? ctx.response.get('location') : '';
    const failure = failureIn(to, url);
    if (failure === null) return;
    ctx.remove('location');
    ctx.status = 400;
    showFailure(ctx, failure);
  });
  provider.on('server_error', (_ctx, error) => options.onTrouble(error));
  const callback = provider.callback();
  let underWay = 0;

  return {
    provider,
    serve(req, res) {
      asIssuer(req, url);
      if (new URL(req.url ?? '/', issuer).pathname === paths.authorize) narrowRequest(req, issuer);
      underWay++;
      res.once('close', () => {
        // The library's storage makes every promise of this process slower on Node 20 while it is in use.
        if (--underWay === 0) requestContext.disable();
      });
      void callback(req, res).catch(options.onTrouble);
    },
  };

  function showFailure(
    ctx: Pick<KoaContextWithOIDC, 'req' | 'set' | 'type' | 'body'>,
    failure: SignInFailure,
  ) {
    const { html, headers } = options.errorPage(ctx.req, failure);
    for (const [name, value] of Object.entries(headers)) ctx.set(name, value);
    ctx.type = 'text/html; charset=utf-8';
    ctx.body = html;
  }

  function configurationOf({ keys, cookieKey }: ProviderOptions): Configuration {
    return {
      adapter: (kind) => createEntriesAdapter(kind, { grants, onEnded, onReuse, now }),
      jwks: { keys: [...keys] },
      cookies: {
        keys: [cookieKey],
        names: { session: 'handrail-oauth', interaction: 'handrail-consent', resume: 'handrail-resume' },
        short: { httpOnly: true, sameSite: 'lax', signed: true },
        long: { httpOnly: true, sameSite: 'lax', signed: true },
      },
      clientDefaults: {
        application_type: 'native',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
        id_token_signed_response_alg: 'ES256',
      },
      features: {
        devInteractions: { enabled: false },
        userinfo: { enabled: false },
        rpInitiatedLogout: { enabled: false },
        dPoP: { enabled: false },
        revocation: {
          enabled: true,
          allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
        },
        resourceIndicators: {
          enabled: true,
          defaultResource: (_ctx, _client, oneOf) =>
            Array.isArray(oneOf) ? oneOf : (options.onlyResource() ?? unnamedResource()),
          useGrantedResource: () => true,
          getResourceServerInfo(ctx, resource) {
            const asked = ctx.oidc.params?.['resource'];
            if (Array.isArray(asked) && asked.length > 1) throw new InvalidTarget('name one resource only');
            const view = serverOf(resource);
            if (view === undefined)
              throw new InvalidTarget('the resource is not a server of this gateway that people sign in to');
            return {
              scope: scopesOf(view, requestedScope(ctx)),
              audience: view.server.id,
              accessTokenTTL: tokenLifeS,
              accessTokenFormat: 'opaque',
            };
          },
        },
        ...(options.clientDocuments && {
          clientIdMetadataDocument: {
            enabled: true,
            ack: 'draft-02',
            allowFetch: (ctx: KoaContextWithOIDC) => options.allowFetch(ctx.req),
            allowClient: () => true,
            cacheDuration: { min: 60, max: 3_600 },
          },
        }),
      },
      scopes: ['offline_access'],
      responseTypes: ['code'],
      clientAuthMethods: [...clientAuthMethods],
      enabledJWA: {
        clientAuthSigningAlgValues: [...clientAlgorithms],
        idTokenSigningAlgValues: ['ES256'],
      },
      pkce: { required: () => true },
      routes: {
        authorization: paths.authorize,
        token: paths.token,
        revocation: paths.revoke,
        jwks: paths.jwks,
      },
      ttl: {
        AccessToken: tokenLifeS,
        AuthorizationCode: 60,
        Grant: 365 * 86_400,
        IdToken: 60,
        Interaction: 600,
        RefreshToken: grantLifeS,
        Session: 600,
      },
      allowOmittingSingleRegisteredRedirectUri: false,
      issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
      rotateRefreshToken: true,
      expiresWithSession: () => false,
      revokeGrantPolicy: () => true,
      clientBasedCORS: () => true,
      async findAccount(_ctx, personId) {
        const person = await people.personAtVersion(personId);
        return person === null ? undefined : { accountId: person.id, claims: () => ({ sub: person.id }) };
      },
      // Every sign-in is a grant of its own: an earlier consent doesn't count for an app that asks again.
      loadExistingGrant: async (ctx) => {
        const grantId = ctx.oidc.result?.consent?.grantId;
        return grantId === undefined ? undefined : ctx.oidc.provider.Grant.find(grantId);
      },
      interactions: {
        url: (_ctx, { uid }) => `${paths.consent}/${uid}`,
        policy: [
          new Prompt(
            { name: 'login', requestable: true },
            new Check('no_session', 'the person has to sign in', (ctx) =>
              ctx.oidc.session?.accountId === undefined ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT,
            ),
          ),
          new Prompt(
            { name: 'consent', requestable: true },
            new Check('no_consent', 'the person has to agree', (ctx) =>
              ctx.oidc.result?.consent?.grantId === undefined
                ? Check.REQUEST_PROMPT
                : Check.NO_NEED_TO_PROMPT,
            ),
          ),
        ],
      },
      fetch: (input) => options.fetch(input instanceof Request ? input.url : input),
      fetchResponseBodyLimits: { 'client_id metadata document': 32 * 1024, jwks_uri: 32 * 1024 },
      // Each is remembered until it expires, so that it is accepted once.
      assertJwtClientAuthClaimsAndHeader(_ctx, { exp }) {
        if (!(Number(exp) * 1000 <= now() + maxAssertionMs))
          throw new InvalidClientAuth('a client assertion can be valid for ten minutes at most');
      },
      renderError: (ctx, { error, error_description: description = '' }) =>
        showFailure(ctx, { code: error, description }),
    };
  }
}

const maxAssertionMs = 10 * 60_000;

/**
 * What a redirect to an app would report; null for one of our own pages. An app on this computer is waiting for it,
 * and can't be someone else's site.
 */
function failureIn(to: string, issuer: URL): SignInFailure | null {
  if (to === '') return null;
  const { origin, protocol, hostname, search, hash } = new URL(to, issuer);
  if (origin === issuer.origin || (protocol === 'http:' && isLoopback(hostname))) return null;
  const said = new URLSearchParams(search === '' ? hash.slice(1) : search);
  return { code: said.get('error') ?? '', description: said.get('error_description') ?? '', returnTo: to };
}

function unnamedResource(): never {
  throw new InvalidTarget('name the server in the resource parameter (RFC 8707)');
}

/** The scope that a request asks for, or that its code or refresh token was issued for. */
function requestedScope({ oidc: { params, entities } }: KoaContextWithOIDC): string {
  const scope = params?.['scope'];
  if (typeof scope === 'string') return scope;
  return (entities.AuthorizationCode ?? entities.RefreshToken)?.scope ?? '';
}

/** All kinds, and the single tools that are asked for, if the server has them. */
function scopesOf(view: ServerView, requested: string): string {
  const tools = readScope(requested).tools.filter((name) => view.byName.has(name));
  return [...kindScopes, ...tools.map(toolScope)].join(' ');
}

// Addresses are built from the request, which a proxy may have changed on its way.
function asIssuer(req: IncomingMessage, issuer: URL): void {
  req.headers.host = issuer.host;
  req.headers['x-forwarded-host'] = issuer.host;
  req.headers['x-forwarded-proto'] = issuer.protocol.slice(0, -1);
  if (issuer.pathname !== '/') Object.assign(req, { originalUrl: `${issuer.pathname}${req.url}` });
  // No one stays signed in here, so a cookie of an earlier sign-in means nothing.
  const { cookie } = req.headers;
  if (cookie !== undefined)
    req.headers.cookie = cookie
      .split(';')
      .filter((part) => !part.trim().startsWith('handrail-oauth'))
      .join(';');
}

/** Drops what would only make the request fail, and asks for everything when nothing in particular is asked for. */
function narrowRequest(req: IncomingMessage, issuer: string): void {
  const url = new URL(req.url ?? '/', issuer);
  const query = url.searchParams;
  const { kinds, tools } = readScope((query.get('scope') ?? '').slice(0, 10_000));
  const asked = [
    ...kindScopes.filter((scope) => kinds.some((kind) => scope.endsWith(`:${kind}`))),
    ...tools.map(toolScope),
  ];
  if (query.getAll('scope').length <= 1)
    query.set('scope', [...(asked.length > 0 ? asked : kindScopes), 'offline_access'].join(' '));
  // The library's own page for sending a form to the app has none of our headers.
  if (query.has('response_mode', 'form_post')) query.set('response_mode', 'not form_post');
  // People are always asked, and always see who they are signed in as.
  if (query.get('prompt') !== 'none') query.set('prompt', 'consent');
  for (const name of ['nonce', 'max_age', 'acr_values', 'claims', 'id_token_hint', 'claims_locales'])
    query.delete(name);
  req.url = `${url.pathname}?${query.toString()}`;
}
