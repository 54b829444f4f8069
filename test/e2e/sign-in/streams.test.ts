import { afterAll, beforeAll, expect, it } from 'vitest';
import { agree, PageReader, type Person } from '../../support/sign-in/page-reader.ts';
import { RawApp } from '../../support/sign-in/raw-app.ts';
import { type SignInGateway, startSignInGateway } from '../../support/sign-in/sign-in-gateway.ts';

let at: SignInGateway;
let team: string;
let count = 0;
beforeAll(async () => {
  at = await startSignInGateway();
  team = `${at.url}/mcp/team`;
});
afterAll(() => at.stop());

async function connect() {
  const person: Person = { name: `Person ${count++}`, password: 'a long password for streams 1' };
  const invited = await at.admin('POST', '/people', { name: person.name, role: 'none' });
  const token = new URL(invited.body.invitationUrl).hash.slice(1);
  await at.admin('POST', '/invitation/accept', { token, password: person.password });
  const app = new RawApp(at.url);
  await app.register();
  const back = await agree(new PageReader(at.url), app.authorizeUrl(team), person);
  const { body } = await app.exchange(back.searchParams.get('code')!);
  return { id: String(invited.body.id), app, access: String(body.access_token) };
}

const accept = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'a listener', version: '1' },
};

const openers: Readonly<Record<string, (access: string) => Promise<Response>>> = {
  'of this revision': (access) =>
    fetch(team, {
      method: 'POST',
      headers: {
        ...accept,
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'subscriptions/listen',
        authorization: `Bearer ${access}`,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'subscriptions/listen',
        params: { notifications: { toolsListChanged: true }, _meta: meta },
      }),
    }),
  async 'of a session'(access) {
    const authorization = `Bearer ${access}`;
    const opened = await fetch(team, {
      method: 'POST',
      headers: { ...accept, authorization },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: {
          protocolVersion: '2025-06-18',
          capabilities: {},
          clientInfo: { name: 'a listener', version: '1' },
        },
      }),
    });
    await opened.text();
    return fetch(team, {
      headers: {
        accept: 'text/event-stream',
        authorization,
        'mcp-session-id': opened.headers.get('mcp-session-id')!,
      },
    });
  },
};

/** What a stream has sent, and whether it has ended. */
function follow(stream: Response) {
  const state = { text: '', hasEnded: false };
  void (async () => {
    try {
      for await (const part of stream.body!) state.text += Buffer.from(part).toString();
    } catch {
      // Cut off.
    }
    state.hasEnded = true;
  })();
  return state;
}

const rounds = Object.keys(openers).flatMap((kind) =>
  ['removed', 'disabled', 'disconnected'].map((how) => [kind, how] as const),
);

it.each(rounds)('an open stream %s ends when its person or app is %s, and no other', async (kind, how) => {
  const [gone, stays] = [await connect(), await connect()];
  const [ending, staying] = [
    follow(await openers[kind]!(gone.access)),
    follow(await openers[kind]!(stays.access)),
  ];
  if (how === 'removed') await at.admin('DELETE', `/people/${gone.id}`);
  else if (how === 'disabled') await at.admin('PATCH', `/people/${gone.id}`, { disabled: true });
  else await gone.app.revoke(gone.access);
  await expect.poll(() => ending.hasEnded, { timeout: 10_000 }).toBe(true);
  // Other people change as well, and no one's stream ends for that.
  await at.admin('PATCH', `/people/${stays.id}`, { email: 'someone@example.com' });
  await at.admin('POST', '/tools', {
    api: 'shop',
    name: `later_${count++}`,
    description: 'Added later',
    operation: { method: 'GET', path: '/later', parameters: [] },
  });
  await expect.poll(() => staying.text, { timeout: 10_000 }).toContain('tools/list_changed');
  expect(staying.hasEnded).toBe(false);
});

it('a listening app hears that its person may use other tools now', async () => {
  const { id, access } = await connect();
  const group = await at.admin('POST', '/groups', { name: 'Some' });
  await at.admin('PATCH', `/people/${id}`, { groups: ['Some'] });
  await at.admin('PATCH', '/servers/team', { access: [{ group: 'Some' }, { person: id, kinds: ['read'] }] });
  const heard = follow(await openers['of this revision']!(access));
  await new Promise((resolve) => setTimeout(resolve, 600));
  const before = heard.text.split('tools/list_changed').length;
  await at.admin('DELETE', `/groups/${group.body.id}`);
  await expect
    .poll(() => heard.text.split('tools/list_changed').length, { timeout: 10_000 })
    .toBeGreaterThan(before);
  expect(heard.hasEnded).toBe(false);
  await at.admin('PATCH', '/servers/team', { access: null });
});
