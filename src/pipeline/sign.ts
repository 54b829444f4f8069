import { HandrailError } from '../domain/errors.ts';
import type { ClientTls, OpenCredential, RequestBody, RequestPlan } from './types.ts';

/**
 * A request with its credential in place. The complete form is private: only `upstream/` takes it out, through
 * `reveal`, so that no log, record or error can print a secret by accident.
 */
export class SignedRequest {
  /** The request without its credential, safe to show. */
  readonly plan: RequestPlan;
  readonly tls: ClientTls | null;
  /** Tells requests made with different secrets apart. */
  readonly credentialIdentity: string;
  /** The secret values that went in, for masking what comes back. */
  readonly #secrets: readonly string[];
  readonly #full: RequestPlan;

  constructor(
    plan: RequestPlan,
    full: RequestPlan,
    credential: Pick<OpenCredential, 'placements' | 'identity' | 'tls' | 'secrets'> | null,
  ) {
    this.plan = plan;
    this.#full = full;
    this.tls = credential?.tls ?? null;
    this.credentialIdentity = credential?.identity ?? '';
    this.#secrets =
      credential === null
        ? []
        : (credential.secrets ?? credential.placements.map((placement) => placement.value));
  }

  /** The request as it goes on the wire. For `upstream/` only. */
  reveal(): RequestPlan {
    return this.#full;
  }

  /** The secret values that went in. For masking only. */
  secrets(): readonly string[] {
    return this.#secrets;
  }

  /** The request that follows a redirect; its client certificate stays behind when the origin changes. */
  redirected(plan: RequestPlan, full: RequestPlan, sameOrigin: boolean): SignedRequest {
    return new SignedRequest(plan, full, {
      placements: [],
      identity: this.credentialIdentity,
      secrets: this.#secrets,
      ...(sameOrigin && this.tls !== null && { tls: this.tls }),
    });
  }

  toJSON(): RequestPlan {
    return this.plan;
  }
}

const formType = 'application/x-www-form-urlencoded';

/** Puts the credential into the request. Pure; what it returns can be sent but not printed. */
export function sign(plan: RequestPlan, credential: OpenCredential | null): SignedRequest {
  if (credential === null) return new SignedRequest(plan, plan, null);
  const headers: Record<string, string> = { ...plan.headers };
  let { target, body } = plan;
  const cookies: string[] = headers['cookie'] === undefined ? [] : [headers['cookie']];
  for (const { in: place, name, value } of credential.placements) {
    if (place === 'header') headers[name.toLowerCase()] = value;
    else if (place === 'query') target = withQuery(target, name, value);
    else if (place === 'cookie') cookies.push(`${name}=${encodeURIComponent(value)}`);
    else body = withField(body, name, value);
  }
  if (cookies.length > 0) headers['cookie'] = cookies.join('; ');
  if (body !== null) headers['content-type'] ??= body.contentType;
  const full: RequestPlan = { ...plan, target, headers, body };
  if (credential.signature === undefined) return new SignedRequest(plan, full, credential);
  return new SignedRequest(
    plan,
    { ...full, headers: { ...headers, ...credential.signature(full) } },
    credential,
  );
}

function withQuery(target: string, name: string, value: string): string {
  const pair = `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
  return `${target}${target.includes('?') ? '&' : '?'}${pair}`;
}

function withField(body: RequestBody | null, name: string, value: string): RequestBody {
  const contentType = body?.contentType ?? 'application/json';
  if (body === null || (body.fields !== undefined && !contentType.startsWith(formType))) {
    const fields = { ...body?.fields, [name]: value };
    return { contentType, content: JSON.stringify(fields), fields };
  }
  // A form keeps what was written and gets one more pair.
  if (contentType.startsWith(formType) && typeof body.content === 'string') {
    const pair = new URLSearchParams({ [name]: value }).toString();
    return { ...body, content: body.content === '' ? pair : `${body.content}&${pair}` };
  }
  const content = typeof body.content === 'string' ? withJsonField(body.content, name, value) : null;
  if (content === null) {
    throw new HandrailError(
      'credential_missing',
      `The credential belongs in the body field "${name}", but this operation's body has no fields: place the credential elsewhere.`,
    );
  }
  return { contentType, content };
}

// Written into the text, so that everything else stays as the template wrote it.
function withJsonField(text: string, name: string, value: string): string | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return null;
  if (Object.hasOwn(parsed, name)) return JSON.stringify({ ...parsed, [name]: value });
  const brace = text.indexOf('{') + 1;
  const comma = Object.keys(parsed).length === 0 ? '' : ',';
  return `${text.slice(0, brace)}${JSON.stringify(name)}:${JSON.stringify(value)}${comma}${text.slice(brace)}`;
}
