import { generateKeyPairSync } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { authKinds, type AuthScheme } from '../../src/domain/auth-scheme.ts';
import { formsOf } from '../support/secrets/forms-of-a-secret.ts';
import { modern, post } from '../support/mcp-surface.ts';
import { type RunningGateway, startGateway } from '../support/running-gateway.ts';
import { bodyOf, json, serveHttp, type TestServer } from '../support/servers/http-server.ts';

interface Guarded {
  readonly auth: AuthScheme;
  readonly fields: Readonly<Record<string, string>>;
  /** What the API is given for the credential, and nobody else may see. */
  readonly issued?: string;
}

const canary = (what: string) => `c4n4ry/${what}+secret=of ${what}`;
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const privateKeyPem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const issuedToken = (path: string) => `c4n4ry-issued-by-${path}`;

function guardedApis(origin: string): Readonly<Record<string, Guarded>> {
  const oauth2 = (grant: 'client_credentials' | 'refresh_token' | 'authorization_code') =>
    ({
      auth: {
        kind: 'oauth2',
        grant,
        tokenUrl: `${origin}/token/${grant}`,
        authorizationUrl: `${origin}/authorize`,
        clientAuth: 'client_secret_post',
      },
      fields: {
        clientId: 'me',
        clientSecret: canary(`${grant}-client`),
        ...(grant !== 'client_credentials' && { refreshToken: canary(`${grant}-refresh`) }),
      },
      issued: issuedToken(grant),
    }) as const;
  return {
    header: { auth: { kind: 'api-key', in: 'header', name: 'X-Key' }, fields: { value: canary('header') } },
    query: { auth: { kind: 'api-key', in: 'query', name: 'k' }, fields: { value: canary('query') } },
    cookie: { auth: { kind: 'api-key', in: 'cookie', name: 'sid' }, fields: { value: canary('cookie') } },
    body: { auth: { kind: 'api-key', in: 'body', name: 'k' }, fields: { value: canary('body') } },
    bearer: { auth: { kind: 'bearer' }, fields: { token: canary('bearer') } },
    basic: { auth: { kind: 'basic' }, fields: { username: 'ann', password: canary('basic') } },
    headers: { auth: { kind: 'headers', names: ['X-One'] }, fields: { 'X-One': canary('headers') } },
    login: {
      auth: {
        kind: 'login',
        method: 'POST',
        url: `${origin}/token/login`,
        payloadIn: 'json',
        payloadFields: ['user', 'password'],
        tokenPath: 'access_token',
        place: { in: 'header', name: 'X-Token' },
      },
      fields: { user: 'ann', password: canary('login') },
      issued: issuedToken('login'),
    },
    client: oauth2('client_credentials'),
    refreshed: oauth2('refresh_token'),
    authorized: oauth2('authorization_code'),
    aws: {
      auth: { kind: 'aws-sigv4', region: 'eu-west-1', service: 's3' },
      fields: {
        accessKeyId: 'AKIAEXAMPLE',
        secretAccessKey: canary('aws'),
        sessionToken: canary('aws-session'),
      },
    },
    hmac: {
      auth: {
        kind: 'hmac',
        algorithm: 'sha256',
        encoding: 'hex',
        parts: ['body'],
        separator: '',
        place: { in: 'header', name: 'X-Sig' },
      },
      fields: { secret: canary('hmac') },
    },
    tls: {
      auth: { kind: 'mutual-tls' },
      fields: { certificatePem: canary('certificate'), privateKeyPem, passphrase: canary('passphrase') },
    },
    several: {
      auth: { kind: 'all', schemes: [{ kind: 'bearer' }, { kind: 'api-key', in: 'header', name: 'X-Key' }] },
      fields: { '0.token': canary('first'), '1.value': canary('second') },
    },
  };
}

/** Tells back everything that it was told, in several forms; what scripts give to `/take` is kept. */
function telling(taken: string[], heard: Map<string, string>) {
  return serveHttp(async (request, response) => {
    const body = await bodyOf(request);
    const [path, query = ''] = request.url!.split('?', 2);
    if (path!.startsWith('/token/'))
      return json(response, 200, {
        access_token: issuedToken(path!.slice('/token/'.length)),
        token_type: 'bearer',
        expires_in: 3600,
      });
    if (path === '/take') {
      taken.push(body);
      return json(response, 200, { taken: body.length });
    }
    const told = [request.rawHeaders.join('\n'), query, decodeURIComponent(query), body].join('\n');
    heard.set(path!.split('/')[1]!, told);
    const base64 = Buffer.from(told).toString('base64');
    const all = { told, base64, hex: Buffer.from(told).toString('hex') };
    if (path!.endsWith('/refuse')) return json(response, 400, { message: told, base64 });
    if (path!.endsWith('/move'))
      return response.writeHead(302, { location: `/?${encodeURIComponent(told)}` }).end();
    if (path!.endsWith('/cut'))
      return response.writeHead(200, { 'content-length': '99999' }).write(told, () => response.destroy());
    return json(response, 200, all);
  });
}

const ways = ['tell', 'refuse', 'move', 'cut'];

/** Looks at everything that a script can reach, calls an API in every way, and gives all of it away. */
const lookAtAll = (api: string) => `
  const seen = new Set();
  const found = [];
  function look(value, path, depth) {
    const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
    if (!isObject) return found.push(path + ' ' + String(value));
    if (seen.has(value) || depth > 6) return;
    seen.add(value);
    if (typeof value === 'function') found.push(path + ' ' + Function.prototype.toString.call(value));
    let keys = [];
    try { keys = Reflect.ownKeys(value); } catch (error) { found.push(path + ' ' + error); }
    for (const key of keys) {
      try { look(value[key], path + '.' + String(key), depth + 1); } catch (error) { found.push(path + ' ' + error); }
    }
    try { look(Object.getPrototypeOf(value), path + '.^', depth + 1); } catch (error) { found.push(path + ' ' + error); }
  }
  async function send() {
    const all = found.splice(0).join('\\n');
    for (let at = 0; at < all.length; at += 100000) await tools.sink.take({ text: all.slice(at, at + 100000) });
  }
  look(globalThis, 'globalThis', 0);
  look(tools, 'tools', 0);
  look(tools.${api}, 'tools.${api}', 0);
  look(new Error('here').stack, 'stack', 0);
  look(await search('${api}'), 'search', 0);
  const shape = await describe(...${JSON.stringify(ways)}.map((way) => 'tools.${api}.${api}_' + way));
  look(shape, 'describe', 0);
  await send();
  for (const way of ${JSON.stringify(ways)}) {
    for (const args of [{ text: 'hi' }, { text: 7 }, { nothing: true }]) {
      try {
        const reply = await tools.${api}['${api}_' + way](args);
        look(reply, way, 0);
        print(reply);
        show(reply);
      } catch (error) {
        look(error, way, 0);
        found.push(String(error), String(error.stack), JSON.stringify(error));
        print(error.message, error.stack, error);
      }
      await send();
    }
  }
  const last = await tools.${api}.${api}_tell({ text: 'hi' }).catch((error) => error);
  if (last instanceof Error) throw last;
  return last;`;

let upstream: TestServer;
let running: RunningGateway;
let apis: Readonly<Record<string, Guarded>>;
const taken: string[] = [];
const heard = new Map<string, string>();
beforeAll(async () => {
  upstream = await telling(taken, heard);
  apis = guardedApis(upstream.origin);
  running = await startGateway({ egressAllow: ['127.0.0.1'], recordContents: true });
  const make = async (path: string, body: object) => {
    const made = await running.admin('POST', path, body);
    expect([made.status, made.body]).toEqual([201, expect.anything()]);
  };
  const text = { name: 'text', in: 'body', schema: { type: 'string' }, required: false };
  const tool = (api: string, name: string, path: string) =>
    make('/tools', {
      api,
      name,
      description: `Asks ${api}.`,
      operation: { method: 'POST', path, parameters: [text] },
    });
  await make('/apis', { slug: 'sink', baseUrl: upstream.origin, auth: { kind: 'none' } });
  await tool('sink', 'take', '/take');
  for (const [slug, { auth, fields }] of Object.entries(apis)) {
    const baseUrl = auth.kind === 'mutual-tls' ? upstream.origin.replace('http:', 'https:') : upstream.origin;
    await make('/apis', { slug, baseUrl, auth });
    await make('/credentials', { api: slug, fields });
    for (const way of ways) await tool(slug, `${slug}_${way}`, `/${slug}/${way}`);
  }
  await make('/servers', {
    slug: 'code',
    name: 'Code',
    tools: '*',
    mode: 'code',
    policy: 'open',
    ratePerMinute: 100_000,
  });
});
afterAll(async () => {
  await running.stop();
  await upstream.close();
});

it('shows no secret of any kind of credential to a script, nor to who reads of its run', async () => {
  expect(new Set(Object.values(apis).map(({ auth }) => auth.kind))).toEqual(
    new Set(authKinds.filter((kind) => kind !== 'none')),
  );
  const shown: string[] = [];
  for (const slug of Object.keys(apis)) {
    const code = lookAtAll(slug);
    const { body, headers } = modern('tools/call', { name: 'run_code', arguments: { code } });
    const answer = await post(`${running.url}/mcp/code`, body, headers);
    shown.push(answer.text);
    const tried = await running.admin('POST', '/servers/code/run', { code });
    expect(tried.body.calls.length, JSON.stringify(tried.body).slice(0, 2_000)).toBeGreaterThan(6);
    shown.push(JSON.stringify(tried.body));
    const { store } = running.gateway.context;
    shown.push(JSON.stringify(await store.scriptJournal.effectsOf(tried.body.runId)));
  }
  // Each was really used, except that nobody here speaks TLS; what signs is not sent.
  const used = Object.keys(apis).filter((slug) => slug !== 'tls');
  expect([...heard.keys()].toSorted()).toEqual(used.toSorted());
  for (const slug of used.filter((one) => one !== 'hmac')) {
    const { fields, issued = Object.values(fields).at(-1)! } = apis[slug]!;
    expect(formsOf(issued).filter((form) => heard.get(slug)!.includes(form))).not.toEqual([]);
  }
  expect(taken.join('\n')).toContain('[masked]');
  expect(taken.join('\n')).toContain('globalThis.');

  await running.gateway.context.recorder.flush();
  const { items } = (await running.admin('GET', '/calls?limit=500')).body as { items: { id: string }[] };
  expect(items.length).toBeGreaterThan(100);
  for (const { id } of items) shown.push(JSON.stringify((await running.admin('GET', `/calls/${id}`)).body));
  for (const file of readdirSync(running.dataDir, { withFileTypes: true }))
    if (file.isFile()) shown.push(readFileSync(join(running.dataDir, file.name)).toString('latin1'));

  const keyLine = privateKeyPem.split('\n')[1]!;
  const secrets = Object.values(apis).flatMap(({ fields, issued = [] }) =>
    Object.values(fields)
      .filter((value) => value.startsWith('c4n4ry'))
      .concat(issued),
  );
  const forms = secrets.flatMap((secret) => formsOf(secret).map((form) => ({ secret, form })));
  forms.push({ secret: 'private key', form: keyLine });
  const visible = [...taken, ...shown].flatMap((text) =>
    forms
      .filter(({ form }) => text.includes(form))
      .map(({ secret, form }) => {
        const at = text.indexOf(form);
        return { secret, around: text.slice(Math.max(0, at - 200), at + form.length + 20) };
      }),
  );
  expect(visible.slice(0, 5)).toEqual([]);
});
