import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { countTokens } from '../../../src/listing/tokens/count-tokens.ts';
import { modern, post } from '../../support/mcp-surface.ts';
import { createDatabase } from '../../support/postgres/postgres.ts';
import { type RunningGateway, startGateway } from '../../support/running-gateway.ts';
import { addFileTools } from '../../support/servers/file-tools.ts';
import { expectedForm, hashOfNoise, noise, serveFiles, sha256 } from '../../support/servers/file-upstream.ts';

const secretKey = Buffer.alloc(32, 3).toString('base64');
const mebibyte = 1024 * 1024;

const stores = [
  { store: 'SQLite', settings: async () => ({}) },
  { store: 'PostgreSQL', settings: async () => ({ databaseUrl: await createDatabase(), secretKey }) },
];
const lanes = stores.flatMap((store) => [true, false].map((fastLane) => ({ ...store, fastLane })));

describe.each(lanes)('files on $store (fast lane: $fastLane)', ({ settings, fastLane }) => {
  let upstream: Awaited<ReturnType<typeof serveFiles>>;
  let running: RunningGateway;
  let other: RunningGateway;
  const keys: string[] = [];
  const keyIds: string[] = [];

  beforeAll(async () => {
    upstream = await serveFiles();
    const shared = await settings();
    const more = { ...shared, fastLane, egressAllow: ['127.0.0.1'], maxFileBytes: 20 * mebibyte };
    running = await startGateway(more);
    other = await startGateway({ ...more, ...('databaseUrl' in shared ? {} : { dataDir: running.dataDir }) });
    await addFileTools(running, upstream.origin);
    await running.admin('POST', '/servers', { slug: 'keys', name: 'Keys', tools: '*', policy: 'key' });
    for (const name of ['one', 'two']) {
      const { body } = await running.admin('POST', '/keys', { name });
      keys.push(body.key);
      keyIds.push(body.id);
    }
    // The other instance hears of changes soon, not at once.
    await vi.waitFor(() => expect(other.gateway.registry.snapshot.keys.size).toBe(2), { timeout: 20_000 });
  });
  afterAll(async () => {
    await other.stop();
    await running.stop();
    await upstream.close();
  });

  type Where = { readonly url?: string; readonly server?: string; readonly key?: string };
  async function rpc(
    method: string,
    params: Record<string, unknown>,
    { url = running.url, server = 'default', key }: Where = {},
  ) {
    const { body, headers } = modern(method, params);
    if (key !== undefined) headers['authorization'] = `Bearer ${key}`;
    return (await post(`${url}/mcp/${server}`, body, headers)).json;
  }
  const call = async (name: string, args: object, where: Where = {}) =>
    (await rpc('tools/call', { name, arguments: args }, where)).result;
  const linkIn = (result: { content: { text?: string }[] }) =>
    /https?:\/\/\S+/.exec(result.content.map(({ text }) => text ?? '').join('\n'))![0];
  const download = async (url: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(url, { headers });
    return { answer, bytes: Buffer.from(await answer.arrayBuffer()) };
  };

  const replies = [
    { what: 'a small file', bytes: 5_000, type: 'application/pdf' },
    { what: 'a file of several parts', bytes: 3 * mebibyte + 17, type: 'application/zip' },
    { what: 'a file whose length is told', bytes: 7 * mebibyte, type: 'application/zip', length: 'yes' },
    { what: 'a file of which nothing is said', bytes: 2 * mebibyte },
    { what: 'a packed file', bytes: 3 * mebibyte, type: 'video/mp4', gzip: 'yes' },
    {
      what: 'a file that is small while it is packed',
      bytes: 9 * mebibyte,
      type: 'video/mp4',
      gzip: 'yes',
      text: 'x',
    },
    { what: 'bytes that look like text', bytes: 8 * mebibyte, type: 'application/octet-stream', text: 'y' },
  ];
  it.each(replies)('keeps $what, which another instance hands out', async ({ what: _what, ...args }) => {
    const result = await call('get_file', { ...args, name: 'täst.bin' });
    expect(countTokens(JSON.stringify(result))).toBeLessThanOrEqual(500);
    const hash =
      args.text === undefined ? hashOfNoise(args.bytes) : sha256(Buffer.alloc(args.bytes, args.text));
    expect(result.structuredContent).toMatchObject({ bytes: args.bytes, sha256: hash });
    expect(result.content.at(-1)).toMatchObject({ type: 'resource_link', size: args.bytes });
    const { answer, bytes } = await download(linkIn(result).replace(running.url, other.url));
    expect([answer.status, sha256(bytes)]).toEqual([200, hash]);
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; /);
    expect(answer.headers.get('content-security-policy')).toContain('sandbox');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('cache-control')).toBe('private, no-store');
    // And what was kept can be sent on.
    await call('put_raw', { body: result.structuredContent.handle }, { url: other.url });
    expect(upstream.sent.at(-1)).toMatchObject({
      sha256: hash,
      bytes: args.bytes,
      contentLength: String(args.bytes),
    });
  });

  it('hands out a part of a file', async () => {
    const url = linkIn(await call('get_file', { bytes: 2 * mebibyte, type: 'application/zip' }));
    const whole = Buffer.concat([...noise(2 * mebibyte)]);
    const from = mebibyte - 10;
    const { answer, bytes } = await download(url, { range: `bytes=${from}-${mebibyte + 9}` });
    expect([answer.status, answer.headers.get('content-range')]).toEqual([
      206,
      `bytes ${from}-${mebibyte + 9}/${whole.length}`,
    ]);
    expect(bytes.equals(whole.subarray(from, mebibyte + 10))).toBe(true);
    expect((await download(url, { range: 'bytes=-5' })).bytes.equals(whole.subarray(-5))).toBe(true);
    expect((await download(url, { range: `bytes=${whole.length}-` })).answer.status).toBe(416);
    const head = await fetch(url, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(whole.length)]);
  });

  it('shows a small picture, and keeps it as well', async () => {
    const result = await call('get_file', { bytes: 3_000, type: 'image/png' });
    expect(result.content[0]).toMatchObject({ type: 'image', mimeType: 'image/png' });
    expect(sha256(Buffer.from(result.content[0].data, 'base64'))).toBe(hashOfNoise(3_000));
    expect(result.structuredContent.handle).toMatch(/^reply_/);
  });

  it('sends a file in a form without holding it', async () => {
    const { structuredContent } = await call('get_file', {
      bytes: 2 * mebibyte,
      type: 'application/zip',
      name: 'a.zip',
    });
    await call('post_form', { file: structuredContent.handle });
    const sent = upstream.sent.at(-1)!;
    expect(sent.start).toContain('name="file"; filename="a.zip"\r\nContent-Type: application/zip');
    expect([sent.sha256, sent.contentLength]).toEqual([
      expectedForm(sent, Buffer.concat([...noise(2 * mebibyte)])),
      String(sent.bytes),
    ]);
    await call('post_form', { file: 'data:text/plain;name=note.txt,hello' });
    expect(upstream.sent.at(-1)!.start).toContain('filename="note.txt"');
    expect(upstream.sent.at(-1)!.sha256).toBe(expectedForm(upstream.sent.at(-1)!, Buffer.from('hello')));
  });

  it('refuses what is larger than a file may be', async () => {
    for (const length of [{}, { length: 'yes' }]) {
      const result = await call('get_file', { bytes: 21 * mebibyte, type: 'application/zip', ...length });
      expect([result.isError, result.content[0].text]).toEqual([
        true,
        expect.stringContaining('20971520 bytes'),
      ]);
    }
  });

  it('takes a file from a user, once, for whoever asked', async () => {
    const where = { server: 'keys', key: keys[0]! };
    const { tools: listed } = (await rpc('tools/list', {}, where)).result;
    expect(listed.map(({ name }: { name: string }) => name)).toContain('request_upload');
    const asked = await call('request_upload', {}, where);
    const [handle] = /upload_[\w-]+/.exec(asked.content[0].text)!;
    const before = upstream.sent.length;
    const early = await call('put_raw', { body: handle }, where);
    expect([early.isError, early.content[0].text]).toEqual([true, expect.stringContaining('no file')]);
    const url = linkIn(asked).replace(running.url, other.url);
    const page = await fetch(url, { headers: { 'accept-language': 'es-MX,es;q=0.9' } });
    expect([page.status, page.headers.get('content-language')]).toEqual([200, 'es']);
    expect(await page.text()).toContain('Elige un archivo');
    const content = Buffer.concat([...noise(2 * mebibyte + 3)]);
    const put = () =>
      fetch(`${url}?name=${encodeURIComponent('../r\u00e9sum\u00e9.pdf')}`, {
        method: 'PUT',
        body: new Uint8Array(content),
        headers: { 'content-type': 'application/pdf' },
      });
    expect(await (await put()).json()).toEqual({ handle, bytes: content.length, sha256: sha256(content) });
    expect((await put()).status).toBe(404);
    expect((await fetch(url)).status).toBe(404);
    const stranger = await call('put_raw', { body: handle }, { server: 'keys', key: keys[1]! });
    expect(stranger).toMatchObject({ isError: true, content: early.content });
    expect(upstream.sent).toHaveLength(before);
    await call('post_form', { file: handle }, where);
    expect(upstream.sent.at(-1)!.start).toContain('Content-Type: application/pdf');
    expect(upstream.sent.at(-1)!.sha256).toBe(expectedForm(upstream.sent.at(-1)!, content));
  });

  it('takes a file from a form, for browsers without scripts', async () => {
    const asked = await call('request_upload', {});
    const form = new FormData();
    form.set('before', 'x'.repeat(100_000));
    const content = Buffer.concat([Buffer.from('\r\n--boundary\r\n'), ...noise(mebibyte + 5)]);
    form.set('file', new File([new Uint8Array(content)], 'photo "1".png', { type: 'image/png' }));
    const answer = await fetch(linkIn(asked), { method: 'POST', body: form });
    expect([answer.status, await answer.text()]).toEqual([201, expect.stringContaining('File sent')]);
    await call('put_raw', { body: /upload_[\w-]+/.exec(asked.content[0].text)![0] });
    expect(upstream.sent.at(-1)).toMatchObject({ sha256: sha256(content), contentType: 'image/png' });
  });

  it('lets nothing be uploaded that is too large, and leaves the place free', async () => {
    const asked = await call('request_upload', {});
    const url = linkIn(asked);
    const large = await fetch(url, { method: 'PUT', body: new Uint8Array(21 * mebibyte) });
    expect([large.status, await large.json()]).toEqual([
      413,
      expect.objectContaining({ detail: expect.stringContaining('20971520') }),
    ]);
    const form = new FormData();
    form.set('file', new File([new Uint8Array(20 * mebibyte + 1)], 'large.bin'));
    const page = await fetch(url, { method: 'POST', body: form });
    expect([page.status, await page.text()]).toEqual([413, expect.stringContaining('too large')]);
    expect((await fetch(url, { method: 'PUT', body: 'small' })).status).toBe(201);
  });

  it('refuses handles and addresses that are forged, of others, or for something else, alike', async () => {
    const where = { server: 'keys', key: keys[0]! };
    const result = await call('get_file', { bytes: 2_000, type: 'application/zip' }, where);
    const { handle } = result.structuredContent;
    const url = linkIn(result);
    const before = upstream.sent.length;
    const forged = `reply_${Buffer.alloc(16, 9).toString('base64url')}`;
    const refusals = await Promise.all([
      call('put_raw', { body: handle }, { server: 'keys', key: keys[1]! }),
      call('put_raw', { body: forged }, where),
      call('put_raw', { body: handle.slice(0, -3) }, where),
      call('put_raw', { body: `handrail://replies/${handle}` }, { server: 'keys', key: keys[1]! }),
      // Handles belong to the server that they came through.
      call('put_raw', { body: handle }),
    ]);
    for (const { isError, content } of refusals)
      expect({ isError, content }).toEqual({ isError: true, content: refusals[0]!.content });
    expect(upstream.sent).toHaveLength(before);
    const token = url.split('/').at(-1)!;
    const upload = linkIn(await call('request_upload', {}, where))
      .split('/')
      .at(-1)!;
    const flipped = `${token.slice(0, -1)}${token.endsWith('A') ? 'Q' : 'A'}`;
    const wrong = [
      flipped,
      upload,
      `${token}A`,
      token.slice(0, 22),
      'x',
      Buffer.alloc(38).toString('base64url'),
    ];
    const answers = await Promise.all(wrong.map((one) => fetch(`${running.url}/files/${one}`)));
    for (const answer of answers)
      expect([answer.status, await answer.json()]).toEqual([
        404,
        expect.objectContaining({ code: 'not_found' }),
      ]);
    expect((await fetch(`${running.url}/uploads/${token}`)).status).toBe(404);
    await call('put_raw', { body: `handrail://replies/${handle}` }, where);
    expect(upstream.sent.at(-1)!.sha256).toBe(hashOfNoise(2_000));
  });

  it('ends what a key had kept when the key is revoked', async () => {
    const where = { server: 'keys', key: keys[0]! };
    const result = await call('get_file', { bytes: 2_000, type: 'application/zip' }, where);
    const { handle } = result.structuredContent;
    const upload = linkIn(await call('request_upload', {}, where));
    expect((await fetch(linkIn(result))).status).toBe(200);
    await running.admin('POST', `/keys/${keyIds[0]}/revoke`);
    expect((await fetch(linkIn(result))).status).toBe(404);
    expect((await fetch(upload)).status).toBe(404);
    expect((await fetch(upload, { method: 'PUT', body: 'x' })).status).toBe(404);
    await expect
      .poll(() => running.gateway.context.replies.kept.open(handle), { timeout: 20_000 })
      .toBeNull();
  });

  it('records what a file is, never what is in it, nor what opens it', async () => {
    const held = Buffer.from('what nobody may read later').toString('base64');
    const { structuredContent } = await call('get_file', {
      bytes: 2 * mebibyte,
      type: 'application/zip',
      name: 'b.zip',
    });
    await call('post_form', { file: structuredContent.handle, title: 'kept' });
    await call('post_form', { file: `data:text/plain;name=n.txt;base64,${held}`, title: 'held' });
    const records = async () => {
      const { body } = await running.admin('GET', '/calls?limit=3');
      return Promise.all(
        body.items.map(async ({ id }: { id: string }) => (await running.admin('GET', `/calls/${id}`)).body),
      );
    };
    await expect.poll(async () => JSON.stringify(await records()), { timeout: 20_000 }).toContain('held');
    const text = JSON.stringify(await records());
    expect(text).not.toContain(held);
    expect(text).not.toContain(structuredContent.handle);
    expect(text).not.toContain(`${running.url}/files/`);
    expect(text).toContain(
      `[file b.zip, application/zip, ${2 * mebibyte} bytes, SHA-256 ${structuredContent.sha256}]`,
    );
    expect(text).toContain('[file n.txt, text/plain, 26 bytes, SHA-256 ');
  });
});
