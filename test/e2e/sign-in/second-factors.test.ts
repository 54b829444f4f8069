import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { totpCode } from '../../../src/access/second-factors/totp.ts';
import { Authenticator } from '../../support/sign-in/authenticator.ts';
import { agree, fieldsOf, type OpenedPage, PageReader } from '../../support/sign-in/page-reader.ts';
import { listTools, RawApp, textOf } from '../../support/sign-in/raw-app.ts';
import { ada, type SignInGateway, startSignInGateway } from '../../support/sign-in/sign-in-gateway.ts';

const stepMs = 30_000;

let at: SignInGateway;
let team: string;
let personId: string;
beforeAll(async () => {
  at = await startSignInGateway();
  team = `${at.url}/mcp/team`;
  personId = (await at.gateway.store.people.byName('ada'))!.id;
});
afterAll(() => at.stop());
afterEach(async () => {
  await at.admin('DELETE', `/people/${personId}/second-factors`);
  await at.admin('PATCH', '/settings', { secondFactor: null });
});

const factors = () => at.gateway.context.secondFactors;
const actor = { id: 'test', label: 'test' };

async function addApp() {
  const person = (await at.gateway.store.people.get(personId))!;
  const { secret, draft } = await factors().draftTotp(person);
  const code = totpCode(secret, Date.now() - stepMs);
  const { recoveryCodes } = await factors().addTotp(person, actor, { name: 'Phone', draft, code });
  return { secret, recoveryCodes };
}

/** An app that waits, and a browser with the password of its person entered. */
async function afterPassword() {
  const app = new RawApp(at.url);
  await app.register();
  const browser = new PageReader(at.url);
  const page = await browser.open(app.authorizeUrl(team));
  const next = await browser.send(page, [
    ['action', 'sign-in'],
    ['name', ada.name],
    ['password', ada.password],
  ]);
  return { app, browser, page: next };
}

async function allow(app: RawApp, browser: PageReader, page: OpenedPage) {
  const { url } = await browser.send(page, [...fieldsOf(page), ['action', 'allow']]);
  const { body } = await app.exchange(url.searchParams.get('code')!);
  return (await listTools(team, String(body.access_token))).status;
}

it('asks for a code after the password, without a script, and shows what was wrong', async () => {
  const { secret } = await addApp();
  const { app, browser, page } = await afterPassword();
  expect(textOf(page)).toContain('Confirm that it is you');
  expect(page.html).not.toContain('<script');
  expect(browser.cookie('handrail')).toBeUndefined();
  const wrong = await browser.send(page, [...fieldsOf(page), ['code', '000000'], ['action', 'code']]);
  expect([wrong.status, textOf(wrong)]).toEqual([401, expect.stringContaining('already used')]);
  const code = totpCode(secret, Date.now());
  const consent = await browser.send(wrong, [...fieldsOf(wrong), ['code', code], ['action', 'code']]);
  expect(textOf(consent)).toContain('Allow Raw app to use');
  expect(await allow(app, browser, consent)).toBe(200);
});

it('takes a recovery code, once', async () => {
  const { recoveryCodes } = await addApp();
  const [first, second] = [await afterPassword(), await afterPassword()];
  const fields = (page: OpenedPage): [string, string][] => [
    ...fieldsOf(page),
    ['code', recoveryCodes[0]!],
    ['action', 'code'],
  ];
  const consent = await first.browser.send(first.page, fields(first.page));
  expect(textOf(consent)).toContain('Allow Raw app');
  expect((await second.browser.send(second.page, fields(second.page))).status).toBe(401);
});

it('does not agree to anything for someone who is only half signed in', async () => {
  await addApp();
  const { browser, page } = await afterPassword();
  const pending = fieldsOf(page).find(([name]) => name === 'pending')![1];
  const refused = await browser.send(page, [
    ['csrf', pending],
    ['kind', 'read'],
    ['action', 'allow'],
  ]);
  expect(refused.status).toBe(401);
  expect(refused.html).toContain('name="password"');
});

it('has someone set up what they must have, keeps the key after a typo, and shows recovery codes once', async () => {
  await at.admin('PATCH', '/settings', { secondFactor: 'everyone' });
  const { app, browser, page } = await afterPassword();
  const secretOn = (shown: OpenedPage) => /secret=([A-Z2-7]+)/.exec(shown.html.replaceAll('&#38;', '&'))![1]!;
  const secret = secretOn(page);
  const again = await browser.send(page, [...fieldsOf(page), ['code', '123'], ['action', 'set-up']]);
  expect([again.status, secretOn(again)]).toEqual([422, secret]);
  const code = totpCode(secret, Date.now() - stepMs);
  const codes = await browser.send(again, [...fieldsOf(again), ['code', code], ['action', 'set-up']]);
  expect(codes.html.match(/<li><code>/g)).toHaveLength(10);
  const onward = await browser.follow(codes, /href="([^"]+here=1)"/.exec(codes.html)![1]!);
  expect(await allow(app, browser, onward)).toBe(200);
});

it('takes a passkey, as the second factor and instead of a password', async () => {
  const { gateway, url } = at;
  const device = new Authenticator(new URL(url).origin);
  const person = (await gateway.store.people.get(personId))!;
  const asked = await factors().passkeyToCreate(person);
  const response = device.create({ ...asked.options });
  await factors().addPasskey(person, actor, { name: 'Key', challenge: asked.challenge, response });

  const answer = (page: OpenedPage): [string, string][] => {
    const form = /<form method="post" id="passkey"[\s\S]*?<\/form>/.exec(page.html)![0];
    const options = /data-options="([^"]*)"/
      .exec(form)![1]!
      .replaceAll('&#34;', '"')
      .replaceAll('&#38;', '&');
    const value = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(form)![1]!;
    return [
      ['action', 'passkey'],
      ['pending', value('pending')],
      ['challenge', value('challenge')],
      ['response', JSON.stringify(device.get(JSON.parse(options)))],
    ];
  };
  const { app, browser, page } = await afterPassword();
  const consent = await browser.send(page, answer(page));
  expect(await allow(app, browser, consent)).toBe(200);

  const other = new RawApp(at.url);
  await other.register();
  const alone = new PageReader(at.url);
  const start = await alone.open(other.authorizeUrl(team));
  const sent = answer(start);
  const signedIn = await alone.send(start, sent);
  expect(textOf(signedIn)).toContain('Allow Raw app');
  // The answer is used up, in this browser and any other.
  const thief = new PageReader(at.url);
  const refused = await thief.send(await thief.open(other.authorizeUrl(team)), sent);
  expect(refused.status).toBe(401);
});

it('two browsers sign in at once, each for its own app', async () => {
  const { recoveryCodes } = await addApp();
  const both = await Promise.all([afterPassword(), afterPassword()]);
  const statuses = await Promise.all(
    both.map(async ({ app, browser, page }, i) => {
      const fields: [string, string][] = [
        ['code', recoveryCodes[i]!],
        ['action', 'code'],
      ];
      return allow(app, browser, await browser.send(page, [...fieldsOf(page), ...fields]));
    }),
  );
  expect(statuses).toEqual([200, 200]);
  await at.admin('DELETE', `/people/${personId}/second-factors`);
  // And without second factors, from the first page on.
  const apps = [new RawApp(at.url), new RawApp(at.url)];
  await Promise.all(apps.map((app) => app.register()));
  const codes = await Promise.all(
    apps.map((app) => agree(new PageReader(at.url), app.authorizeUrl(team), ada)),
  );
  expect(new Set(codes.map(({ searchParams }) => searchParams.get('code'))).size).toBe(2);
});
