import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { modern, post } from '../../support/mcp-surface.ts';
import { type RunningGateway, startGateway } from '../../support/running-gateway.ts';
import { addFileTools } from '../../support/servers/file-tools.ts';
import { hashOfNoise, serveFiles, sha256 } from '../../support/servers/file-upstream.ts';

const handleSeconds = 3_600;
const linkSeconds = 600;

describe.each([true, false])('what has ended is refused as what never was (fast lane: %s)', (fastLane) => {
  const realNow = Date.now.bind(Date);
  let aheadMs = 0;
  let upstream: Awaited<ReturnType<typeof serveFiles>>;
  let running: RunningGateway;

  beforeAll(async () => {
    vi.spyOn(Date, 'now').mockImplementation(() => realNow() + aheadMs);
    upstream = await serveFiles();
    running = await startGateway({
      egressAllow: ['127.0.0.1'],
      fastLane,
      handleSeconds,
      fileLinkSeconds: linkSeconds,
    });
    await addFileTools(running, upstream.origin);
  });
  afterAll(async () => {
    vi.restoreAllMocks();
    await running.stop();
    await upstream.close();
  });

  const rpc = async (method: string, params: Record<string, unknown>) => {
    const { body, headers } = modern(method, params);
    return (await post(`${running.url}/mcp/default`, body, headers)).json;
  };
  const call = async (name: string, args: object) =>
    (await rpc('tools/call', { name, arguments: args })).result;
  const linkIn = (result: { content: { text?: string }[] }) =>
    /https?:\/\/\S+/.exec(result.content.map(({ text }) => text ?? '').join('\n'))![0];
  const random = (kind: string) => `${kind}_${Buffer.alloc(16, 9).toString('base64url')}`;

  /** Everything that a handle opens, as it is answered, without the handle itself. */
  const openings = async (handle: string) => {
    const answers = [
      await call('read_reply', { handle }),
      await rpc('resources/read', { uri: `handrail://replies/${handle}` }),
      await call('put_raw', { body: handle }),
      await call('put_raw', { body: `handrail://replies/${handle}` }),
    ];
    return answers.map((answer) => JSON.stringify(answer).replaceAll(handle, 'HANDLE'));
  };
  /** Everything that an address is good for. */
  const visits = async (url: string) => {
    const asked = ['GET', 'HEAD', ...(url.includes('/uploads/') ? ['PUT'] : [])];
    const answers = [];
    for (const method of asked) {
      const answer = await fetch(url, { method, ...(method === 'PUT' && { body: 'late' }) });
      const said = (await answer.text()).replaceAll(new URL(url).pathname, 'PATH');
      answers.push([method, answer.status, said.replaceAll(/"requestId":"[^"]*"|nonce="[^"]*"/g, '')]);
    }
    return answers;
  };

  it('a handle, an address of a file, and an address for one', async () => {
    const file = await call('get_file', { bytes: 5_000, type: 'application/zip' });
    const long = await call('get_file', { bytes: 200_000, type: 'text/plain', text: 'a b ' });
    const asked = await call('request_upload', {});
    const { handle } = file.structuredContent;
    const handles = [handle, long.structuredContent.handle, /upload_[\w-]+/.exec(asked.content[0].text)![0]];
    const [download, upload] = [linkIn(file), linkIn(asked)];
    const forged = (url: string) => url.replace(/[^/]+$/, Buffer.alloc(38, 9).toString('base64url'));

    // All of it is good before.
    expect((await fetch(download)).status).toBe(200);
    expect((await fetch(upload)).status).toBe(200);
    await call('put_raw', { body: handle });
    expect(upstream.sent.at(-1)!.sha256).toBe(hashOfNoise(5_000));

    // An address ends before what it leads to, of which there is a new one then.
    aheadMs = (linkSeconds + 1) * 1_000;
    for (const url of [download, upload]) expect(await visits(url)).toEqual(await visits(forged(url)));
    expect((await visits(download)).map(([, status]) => status)).toEqual([404, 404]);
    const again = await call('read_reply', { handle, limit: 10 });
    const fresh = await fetch(linkIn(again));
    expect(sha256(Buffer.from(await fresh.arrayBuffer()))).toBe(hashOfNoise(5_000));

    // Whether what has ended was cleared away already makes no difference.
    aheadMs = (handleSeconds + 1) * 1_000;
    const sent = upstream.sent.length;
    expect(running.gateway.context.replies.kept.usage().count).toBeGreaterThan(0);
    for (const isCleared of [false, true]) {
      if (isCleared) await running.gateway.context.replies.kept.sweep();
      for (const ended of handles) {
        const kind = ended.slice(0, ended.indexOf('_'));
        expect(await openings(ended)).toEqual(await openings(random(kind)));
      }
      for (const url of [linkIn(again), download, upload])
        expect(await visits(url)).toEqual(await visits(forged(url)));
    }
    expect(running.gateway.context.replies.kept.usage()).toEqual({ count: 0, bytes: 0 });
    const [read, resource, put] = await openings(handle);
    expect(read).toContain('"isError":true');
    expect(resource).toContain('"error":');
    expect(put).toContain('there is no file under this handle');
    expect(upstream.sent).toHaveLength(sent);
  });
});
