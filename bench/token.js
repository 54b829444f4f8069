import { createHash, randomBytes } from 'node:crypto';
import { addTurn, figuresOf, newTally } from './calls.js';
import { pinTo } from './processes.js';
import { quartiles } from './statistics.js';
import { startUpstream } from './upstream.js';
import { startHandrail } from './variants.js';

const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const turns = 4;

/** CPU of a call with a token of the built-in authorization server, next to one with a key, of the same process. */
export async function runTokenBench() {
  const upstream = await startUpstream(pinTo(1));
  const gateway = await startHandrail(upstream.url, pinTo(0), { server: { policy: { kind: 'sign-in' } } });
  try {
    const token = await signIn(gateway);
    const { target, pid } = gateway;
    const byKey = { target, pid };
    const byToken = {
      target: { ...target, headers: { ...target.headers, authorization: `Bearer ${token}` } },
      pid,
    };
    for (let turn = 0; turn < 10; turn++)
      for (const one of [byKey, byToken]) await addTurn(newTally(), one, 64);
    const ratios = [];
    let faults = 0;
    for (let round = 0; round < rounds; round++) {
      const tallies = new Map([byKey, byToken].map((one) => [one, newTally()]));
      for (let turn = 0; turn < turns; turn++)
        for (const one of turn % 2 === 0 ? [byKey, byToken] : [byToken, byKey])
          await addTurn(tallies.get(one), one, 64);
      const [key, own] = [byKey, byToken].map((one) => figuresOf(tallies.get(one)));
      ratios.push(own.cpuUs / key.cpuUs);
      faults += key.faults + own.faults;
    }
    const [low, middle, high] = quartiles(ratios).map((ratio) => ratio.toFixed(3));
    console.log(
      `CPU of a call with a token: ${middle} [${low}–${high}] times that of one with a key, in ${rounds} rounds; wrong or failed: ${faults}.`,
    );
  } finally {
    await gateway.stop();
    await upstream.stop();
  }
}

/** Connects an app as someone who was invited, as a browser without scripts would. */
async function signIn({ admin, target }) {
  const { origin } = new URL(target.url);
  const password = randomBytes(12).toString('hex');
  const invited = await admin('POST', '/people', { name: 'Bench', role: 'none' });
  const token = new URL(invited.invitationUrl).hash.slice(1);
  await admin('POST', '/invitation/accept', { token, password });
  const redirectUri = 'http://127.0.0.1:7/callback';
  const client = await post(`${origin}/oauth/register`, {
    body: JSON.stringify({ client_name: 'Bench', redirect_uris: [redirectUri] }),
    headers: { 'content-type': 'application/json' },
  }).then((answer) => answer.json());
  const verifier = randomBytes(32).toString('base64url');
  const address = new URL(`${origin}/oauth/authorize`);
  for (const [name, value] of Object.entries({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    resource: target.url,
  }))
    address.searchParams.set(name, value);
  const browser = openBrowser();
  const { url: page } = await browser(address);
  const form = (fields) => ({ method: 'POST', body: new URLSearchParams(fields).toString() });
  await browser(page, form({ action: 'sign-in', name: 'Bench', password }));
  const { html } = await browser(page);
  const csrf = /name="csrf" value="([^"]+)"/.exec(html)[1];
  const fields = [...html.matchAll(/name="(kind|tool)" value="([^"]+)"/g)].map(([, name, value]) => [
    name,
    value,
  ]);
  const { url: back } = await browser(page, form([...fields, ['csrf', csrf], ['action', 'allow']]));
  const answer = await post(`${origin}/oauth/token`, {
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: back.searchParams.get('code'),
      redirect_uri: redirectUri,
      client_id: client.client_id,
      code_verifier: verifier,
    }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  return (await answer.json()).access_token;
}

const post = (url, init) => fetch(url, { method: 'POST', ...init });

/** Keeps cookies, and follows redirects and refreshes until they leave the gateway. */
function openBrowser() {
  const cookies = new Map();
  return async (start, init = {}) => {
    let url = new URL(start);
    let next = init;
    for (let steps = 0; steps < 20; steps++) {
      const answer = await fetch(url, {
        ...next,
        redirect: 'manual',
        headers: {
          cookie: [...cookies.values()].join('; '),
          ...(next.body && { origin: url.origin, 'content-type': 'application/x-www-form-urlencoded' }),
        },
      });
      for (const line of answer.headers.getSetCookie()) {
        const [pair] = line.split(';');
        cookies.set(pair.slice(0, pair.indexOf('=')), pair);
      }
      const html = await answer.text();
      const refresh = /<meta http-equiv="refresh" content="0;url=([^"]+)">/
        .exec(html)?.[1]
        .replaceAll('&#38;', '&');
      const to = answer.headers.get('location') ?? refresh;
      if (!to) return { url, html };
      const { origin } = url;
      url = new URL(to, url);
      next = {};
      if (url.origin !== origin) return { url, html: '' };
    }
    throw new Error('The sign-in did not end.');
  };
}
