import { randomBytes } from 'node:crypto';
import pino from 'pino';
import { type CallRequest, createCallMaker } from '../../src/calls/make-call.ts';
import type { Api } from '../../src/domain/api.ts';
import { authOrigins } from '../../src/domain/secret-fields.ts';
import type { AuthScheme } from '../../src/domain/auth-scheme.ts';
import type { Caller } from '../../src/domain/call.ts';
import type { Credential } from '../../src/domain/credential.ts';
import { noFollowUp } from '../../src/domain/pages/follow-up.ts';
import { newId } from '../../src/domain/ids.ts';
import type { Operation } from '../../src/domain/operation.ts';
import type { Server } from '../../src/domain/server.ts';
import type { Tool } from '../../src/domain/tool.ts';
import { createSecretReferences } from '../../src/credentials/resolve-references.ts';
import { createCredentialFinder } from '../../src/credentials/find-credential.ts';
import { createRenewals } from '../../src/credentials/renewals.ts';
import { createOAuthClient } from '../../src/credentials/schemes/oauth2.ts';
import { masterKey, seal } from '../../src/credentials/seal.ts';
import type { KeyRing, SecretFields } from '../../src/credentials/seal.ts';
import { compile } from '../../src/pipeline/compile.ts';
import { createAnswerCall } from '../../src/calls/answer-call.ts';
import { createRunCall } from '../../src/pipeline/run-call.ts';
import type { Call, CallTrace, Outcome } from '../../src/pipeline/call.ts';
import type { CompiledTool } from '../../src/pipeline/compiled-tool.ts';
import { createEgressGuard } from '../../src/upstream/connections/egress.ts';
import type { ResolveHost } from '../../src/upstream/connections/egress.ts';
import { createFetchGuarded } from '../../src/upstream/fetch-guarded.ts';
import { createPolicies } from '../../src/upstream/policies/policies.ts';
import { createSend } from '../../src/upstream/send.ts';

const version = { revision: 1, createdAtMs: 0, updatedAtMs: 0 };

/** An API as the registry would hold it. */
export function apiAt(baseUrl: string, auth: AuthScheme = { kind: 'none' }, rest: Partial<Api> = {}): Api {
  return {
    id: newId('api'),
    slug: 'one',
    name: 'One',
    baseUrl,
    headers: {},
    auth,
    limits: {},
    enabled: true,
    ...version,
    ...rest,
  };
}

/** A tool of that API, compiled. */
export function toolOf(api: Api, operation: Partial<Operation> = {}, rest: Partial<Tool> = {}): CompiledTool {
  return compile(api, {
    id: newId('tool'),
    apiId: api.id,
    name: 'one',
    description: '',
    tags: [],
    annotations: {},
    reply: {},
    limits: {},
    enabled: true,
    operation: { method: 'GET', path: '/', parameters: [], ...operation },
    ...version,
    ...rest,
  });
}

const openServer: Server = {
  id: 'srv_1',
  slug: 'default',
  name: 'default',
  tools: [{ all: true }],
  overrides: {},
  policy: { kind: 'open' },
  ratePerMinute: 0,
  enabled: true,
  ...version,
};

export const anonymous: Caller = { id: 'anonymous', kind: 'anonymous', label: 'anonymous' };

const calls = createCallMaker({ traced: false, now: Date.now });

/** One call of a tool, on a server that has no other. */
export function callOf(
  tool: CompiledTool,
  { server = openServer, ...rest }: Partial<CallRequest> & { readonly server?: Server } = {},
): Call {
  const { name } = tool.tool;
  const listed = { name, description: '', compiled: tool };
  return calls.make({
    view: { server, tools: [listed], byName: new Map([[name, listed]]) },
    toolName: name,
    caller: anonymous,
    client: null,
    surface: 'rest',
    arguments: {},
    signal: new AbortController().signal,
    clientHeaders: null,
    traceparent: undefined,
    followUp: noFollowUp,
    ...rest,
  })!;
}

/** Everything behind a call, put together as the gateway does it, with a registry of credentials in memory. */
export function callingStack(
  options: { allow?: string[]; now?: () => number; resolveHost?: ResolveHost } = {},
) {
  const now = options.now ?? Date.now;
  const guard = createEgressGuard({
    allow: options.allow ?? ['127.0.0.1'],
    ...(options.resolveHost && { resolveHost: options.resolveHost }),
  });
  const sender = createSend({ guard, now });
  const guarded = createFetchGuarded({ guard, now });
  const key = masterKey(randomBytes(32));
  const ring: KeyRing = { current: () => key, find: (id) => (id === key.id ? key : null) };
  let credentials: ReadonlyMap<string, Credential> = new Map();
  const put = (credential: Credential): void =>
    void (credentials = new Map([...credentials, [credential.id, credential]]));
  const oauth = createOAuthClient(guarded.fetch, now);
  const saved: SecretFields[] = [];
  const finder = createCredentialFinder({
    credentials: () => credentials,
    isUnread: () => false,
    ring,
    references: createSecretReferences({ allow: [], command: null, now }),
    fetch: guarded.fetch,
    oauth,
    now,
    accounts: null,
    identities: null,
    renewals: createRenewals({
      leases: { claim: async () => true, release: async () => {} },
      sync: async () => {},
      steadyMs: () => Infinity,
      revisionOf: (id) => credentials.get(id)?.revision,
      saveFields: async (id, fields) => {
        const current = credentials.get(id)!;
        saved.push(fields);
        put({
          ...current,
          fields: Object.keys(fields),
          sealed: seal(ring, current, fields),
          revision: current.revision + 1,
        });
      },
      log: pino({ level: 'silent' }),
      now,
      onClose: () => {},
    }),
  });
  const policies = createPolicies({ now });
  const traces: CallTrace[] = [];
  const runCall = createRunCall({
    findCredential: finder.findCredential,
    credentialRejected: finder.credentialRejected,
    send: sender.send,
    sendPolicies: policies.sendPolicies,
    now,
  });
  const run = createAnswerCall({
    run: runCall,
    fit: ({ outcome }) => ({ outcome, read: null }),
    record: (trace) => void traces.push(trace),
  });
  return {
    ring,
    finder,
    oauth,
    policies,
    fetch: guarded.fetch,
    send: sender.send,
    run,
    traces,
    saved,
    credentials: () => credentials,
    /** Stores a secret for an API, shared or for one caller. */
    store(api: Api, fields: SecretFields, callerId?: string): Credential {
      const row = {
        id: newId('cred'),
        apiId: api.id,
        ...(callerId !== undefined && { callerId }),
        origins: [new URL(api.baseUrl).origin, ...authOrigins(api.auth)],
      };
      const credential: Credential = {
        ...row,
        name: 'one',
        kind: api.auth.kind,
        fields: Object.keys(fields),
        sealed: seal(ring, row, fields),
        ...version,
      };
      put(credential);
      return credential;
    },
    async close() {
      await Promise.all([sender.close(), guarded.close()]);
    },
  };
}

/** The text of a good outcome; a failed one is thrown. */
export function textOf(outcome: Outcome): string {
  if (outcome.kind === 'failed') throw outcome.error;
  if (outcome.kind === 'waiting') throw new Error(outcome.waiting.message);
  const part = outcome.output.content[0];
  return part?.type === 'text' ? part.text : '';
}
