import { afterAll, beforeAll, expect, it } from 'vitest';
import { agree, PageReader } from '../../support/sign-in/page-reader.ts';
import { RawApp, rpc } from '../../support/sign-in/raw-app.ts';
import { type SignInGateway, startSignInGateway } from '../../support/sign-in/sign-in-gateway.ts';

let at: SignInGateway;
beforeAll(async () => {
  at = await startSignInGateway();
});
afterAll(() => at.stop());

it('records of someone who was removed show a pseudonym, the same everywhere, and others their name', async () => {
  const ids: string[] = [];
  for (const name of ['Gwendolyn', 'Theodora']) {
    const password = 'a long password for records 1';
    const invited = await at.admin('POST', '/people', { name, role: 'none' });
    ids.push(invited.body.id);
    const token = new URL(invited.body.invitationUrl).hash.slice(1);
    await at.admin('POST', '/invitation/accept', { token, password });
    const app = new RawApp(at.url);
    await app.register();
    const team = `${at.url}/mcp/team`;
    const back = await agree(new PageReader(at.url), app.authorizeUrl(team), { name, password });
    const { body } = await app.exchange(back.searchParams.get('code')!);
    await rpc(team, body.access_token, 'tools/call', { name: 'list_orders', arguments: {} });
  }
  const shown = async () => {
    const texts = await Promise.all(
      ['/calls', '/analytics?range=1h&by=caller', '/analytics/pivot?range=24h'].map(async (path) =>
        JSON.stringify((await at.admin('GET', path)).body),
      ),
    );
    const answer = await fetch(`${at.url}/api/v1/calls/export?format=csv`, {
      headers: { authorization: 'Bearer a-token-for-tests-only' },
    });
    return [...texts, await answer.text()];
  };
  await expect.poll(async () => (await shown()).every((text) => text.includes('Gwendolyn'))).toBe(true);
  expect((await at.admin('PATCH', `/people/${ids[1]}`, { disabled: true })).status).toBe(200);
  expect((await at.admin('DELETE', `/people/${ids[0]}`)).status).toBe(204);
  for (const text of await shown()) {
    expect(text).not.toContain('Gwendolyn');
    expect(text).toContain(`Former person ${ids[0]!.slice(-6)}`);
    expect(text).toContain('Theodora');
  }
  const { body } = await at.admin('GET', '/calls');
  const { id } = body.items.find(({ callerId }: { callerId: string }) => callerId === `person:${ids[0]}`);
  expect((await at.admin('GET', `/calls/${id}`)).body.caller).toBe(`Former person ${ids[0]!.slice(-6)}`);
});
