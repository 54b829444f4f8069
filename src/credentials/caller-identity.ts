import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import type { Api, CallerIdentity, IdentityClaim } from '../domain/api.ts';
import type { Call } from '../pipeline/call.ts';
import type { Placement } from '../pipeline/request/signed-request.ts';
import { WeakCache } from '../lib/weak-cache.ts';

/** The key that identities are signed with, and what it is published as. */
export interface IdentityKey {
  readonly kid: string;
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
  readonly y: string;
  readonly d: string;
}

/** What a call says about its caller, and what distinguishes it from other callers. */
export interface ShownIdentity {
  readonly placements: readonly Placement[];
  /** The same for as long as it says the same, unlike a signature. */
  readonly mark: string;
  /** What a reply must not repeat to a model: the token. */
  readonly secrets: readonly string[];
}

/** Says who is calling, to the APIs that ask for it. */
export interface CallerIdentities {
  of(call: Call): Promise<ShownIdentity | null>;
}

/** What is known of a person beyond what a call carries. */
interface KnownPerson {
  readonly email?: string | undefined;
  readonly issuer: string;
  readonly subject?: string | undefined;
}

interface Made {
  readonly api: Api;
  readonly peopleSeq: number;
  readonly untilMs: number;
  readonly shown: ShownIdentity;
}

const lifetimeMs = 60_000;
/** A token is used again for half of its life. */
const reuseMs = 30_000;
const maxMade = 5_000;
const maxValueLength = 4_000;

export function createCallerIdentities(options: {
  readonly signingKey: () => Promise<IdentityKey>;
  readonly readPerson: (id: string) => Promise<KnownPerson | null>;
  readonly groupName: (id: string) => string | undefined;
  readonly peopleSeq: () => number;
  readonly issuer: () => string;
  readonly now: () => number;
}): CallerIdentities {
  const { now } = options;
  const made = new Map<string, Made>();
  const keys = new WeakCache<IdentityKey, KeyObject>();

  async function claimsOf({ caller, server }: Call, wanted: ReadonlySet<IdentityClaim>) {
    const { person, issuerClaims } = caller;
    const asksPerson = wanted.has('email') || wanted.has('issuer') || wanted.has('subject');
    const known = person !== undefined && asksPerson ? await options.readPerson(person.id) : null;
    const groups = person?.groups.flatMap((id) => options.groupName(id) ?? []) ?? issuerClaims?.values;
    const all: Record<IdentityClaim, string | readonly string[] | undefined> = {
      sub: caller.id,
      kind: caller.kind,
      name: caller.label,
      email: known?.email,
      groups,
      role: person?.role,
      issuer: known?.issuer ?? issuerClaims?.issuer,
      subject: known?.subject,
      server: server.slug,
    };
    return all;
  }

  async function make(call: Call, identity: CallerIdentity): Promise<ShownIdentity> {
    const { api } = call.tool;
    const mapped = Object.entries(identity.headers ?? {});
    const asked = identity.claims ?? [];
    const claims = await claimsOf(call, new Set([...asked, ...mapped.map(([, claim]) => claim)]));
    const placements: Placement[] = mapped.flatMap(([name, claim]) => {
      const value = headerText(claims[claim]);
      return value === null ? [] : [{ in: 'header', name, value }];
    });
    const said = Object.fromEntries(asked.map((claim) => [claim, claims[claim]]));
    const mark = JSON.stringify([call.caller.id, said, placements.map(({ name, value }) => [name, value])]);
    if (identity.header === undefined) return { placements, mark, secrets: [] };
    const issuedAtS = Math.floor(now() / 1000);
    const token = await signed({
      ...said,
      iss: options.issuer(),
      sub: call.caller.id,
      aud: identity.audience ?? new URL(api.baseUrl).origin,
      iat: issuedAtS,
      nbf: issuedAtS,
      exp: issuedAtS + lifetimeMs / 1000,
    });
    return {
      placements: [...placements, { in: 'header', name: identity.header, value: token }],
      mark,
      secrets: [token],
    };
  }

  async function signed(payload: object): Promise<string> {
    const jwk = await options.signingKey();
    const key = keys.of(jwk, () => createPrivateKey({ key: { ...jwk }, format: 'jwk' }));
    // Its type keeps it from being taken for an access token.
    const head = { alg: 'ES256', typ: 'handrail-identity+jwt', kid: jwk.kid };
    const text = [head, payload]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
    return `${text}.${signature.toString('base64url')}`;
  }

  return {
    async of(call) {
      const { api } = call.tool;
      if (api.identity === undefined) return null;
      const key = `${api.id}\n${call.server.id}\n${call.caller.id}\n${call.caller.label}`;
      const before = made.get(key);
      const peopleSeq = options.peopleSeq();
      if (before?.api === api && before.peopleSeq === peopleSeq && before.untilMs > now())
        return before.shown;
      const shown = await make(call, api.identity);
      made.delete(key);
      if (made.size >= maxMade) made.delete(made.keys().next().value!);
      made.set(key, { api, peopleSeq, untilMs: now() + reuseMs, shown });
      return shown;
    },
  };
}

/** A claim as the value of a header: text outside of ASCII, and commas within a list, are percent-encoded. */
function headerText(value: string | readonly string[] | undefined): string | null {
  if (value === undefined) return null;
  const text =
    typeof value === 'string'
      ? encoded(value, /[^\x20-\x7e]|%/gu)
      : value.map((one) => encoded(one, /[^\x20-\x7e]|[%,]/gu)).join(',');
  return text.trim() === '' ? null : text.slice(0, maxValueLength).trim();
}

function encoded(text: string, unsafe: RegExp): string {
  return text.replace(unsafe, percentEncode);
}

function percentEncode(character: string): string {
  return [...Buffer.from(character)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');
}
