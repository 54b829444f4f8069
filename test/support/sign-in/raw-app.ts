import { createHash, randomBytes } from 'node:crypto';
import type { OpenedPage } from './page-reader.ts';

/** What the token endpoint answered. */
export interface TokenAnswer {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- answers are read by tests that know their shape
  readonly body: any;
}

/** An app that does each step by hand, so that a test can do one of them wrong. */
export class RawApp {
  readonly gateway: string;
  readonly verifier = randomBytes(32).toString('base64url');
  readonly redirectUri: string;
  clientId = '';

  constructor(gateway: string, redirectUri = 'http://127.0.0.1:7002/callback') {
    this.gateway = gateway;
    this.redirectUri = redirectUri;
  }

  async register(metadata: object = {}): Promise<TokenAnswer> {
    const answer = await post(
      `${this.gateway}/oauth/register`,
      JSON.stringify({ client_name: 'Raw app', redirect_uris: [this.redirectUri], ...metadata }),
      'application/json',
    );
    this.clientId = answer.body.client_id ?? '';
    return answer;
  }

  /** Where a browser starts; a field that is null is left out. */
  authorizeUrl(resource: string | null, more: Readonly<Record<string, string | null>> = {}): URL {
    const url = new URL(`${this.gateway}/oauth/authorize`);
    const fields: Record<string, string | null> = {
      response_type: 'code',
      client_id: this.clientId,
      redirect_uri: this.redirectUri,
      state: 'the-state',
      code_challenge: createHash('sha256').update(this.verifier).digest('base64url'),
      code_challenge_method: 'S256',
      resource,
      ...more,
    };
    for (const [name, value] of Object.entries(fields)) if (value !== null) url.searchParams.set(name, value);
    return url;
  }

  /** Exchanges a code, or whatever `fields` say. */
  token(fields: Readonly<Record<string, string>>): Promise<TokenAnswer> {
    const form = new URLSearchParams({ client_id: this.clientId, ...fields });
    return post(`${this.gateway}/oauth/token`, form.toString(), 'application/x-www-form-urlencoded');
  }

  exchange(code: string, more: Readonly<Record<string, string>> = {}): Promise<TokenAnswer> {
    return this.token({
      grant_type: 'authorization_code',
      code,
      redirect_uri: this.redirectUri,
      code_verifier: this.verifier,
      ...more,
    });
  }

  refresh(refreshToken: string, more: Readonly<Record<string, string>> = {}): Promise<TokenAnswer> {
    return this.token({ grant_type: 'refresh_token', refresh_token: refreshToken, ...more });
  }

  revoke(token: string): Promise<TokenAnswer> {
    const form = new URLSearchParams({ client_id: this.clientId, token });
    return post(`${this.gateway}/oauth/revoke`, form.toString(), 'application/x-www-form-urlencoded');
  }
}

/** Lists tools with a token, as a client of this era does; the status and the challenge. */
export async function listTools(
  url: string,
  token: string,
): Promise<{
  readonly status: number;
  readonly challenge: string | null;
  readonly names: readonly string[];
}> {
  const answer = await rpc(url, token, 'tools/list', {});
  const names: string[] = (answer.body.result?.tools ?? []).map(({ name }: { name: string }) => name);
  return { status: answer.status, challenge: answer.challenge, names };
}

export async function rpc(url: string, token: string | null, method: string, params: object) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token !== null && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const text = await answer.text();
  const json = /^data: (.*)$/m.exec(text)?.[1] ?? text;
  // oxlint-disable-next-line typescript/no-explicit-any -- answers are read by tests that know their shape
  const body: any = json === '' ? {} : JSON.parse(json);
  return { status: answer.status, challenge: answer.headers.get('www-authenticate'), body };
}

async function post(url: string, body: string, type: string): Promise<TokenAnswer> {
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': type }, body });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? {} : JSON.parse(text) };
}

/** The text of a page, without its tags. */
export function textOf({ html }: OpenedPage): string {
  return html
    .replaceAll(/<style.*?<\/style>/gs, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');
}
