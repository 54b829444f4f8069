import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countTokens } from '../../../src/listing/tokens/count-tokens.ts';
import { modern, post } from '../../support/mcp-surface.ts';
import { createDatabase } from '../../support/postgres/postgres.ts';
import { bodyKinds, echoedSecret, hashOf, type ReplyBody, replyBody } from '../../support/reply-bodies.ts';
import { type RunningGateway, startGateway } from '../../support/running-gateway.ts';
import { serveHttp, type TestServer } from '../../support/servers/http-server.ts';

// A sample of `npm run soak -- replies`, which sends a thousand bodies of up to 50 MB.
const first = Number(process.env['HANDRAIL_REPLY_FIRST'] ?? 0);
const howMany = Number(process.env['HANDRAIL_REPLY_BODIES'] ?? bodyKinds.length);
const largest = Number(process.env['HANDRAIL_REPLY_LARGEST'] ?? 600_000);
// How many more are small than large.
const skew = Number(process.env['HANDRAIL_REPLY_SKEW'] ?? 1);
const stores = (process.env['HANDRAIL_REPLY_STORES'] ?? 'sqlite,postgres').split(',');
const firstSeed = Number(process.env['HANDRAIL_SEED'] ?? 7);
// All pages are read of what has not very many of them, and some of the others.
const readWholeBytesPerToken = 40;
const somePages = 6;
const progressEvery = 100;

const budgets = [10_000, 10_000, 2_000, 500];
const smallest = 1_000;

/** Sizes from the smallest to the largest; the last is the largest. */
function bodyAt(n: number): ReplyBody {
  const share = n === first + howMany - 1 ? 1 : ((n * 0.618_033_988_75) % 1) ** skew;
  const size = Math.round(smallest * (largest / smallest) ** share);
  return replyBody(bodyKinds[n % bodyKinds.length]!, firstSeed + n, size);
}

function whyOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : ` (${whyOf(error.cause)})`;
  return error.message.slice(0, 300) + cause;
}

interface Result {
  readonly content: readonly { readonly type: string; readonly text?: string; readonly uri?: string }[];
  readonly structuredContent?: {
    readonly handle: string;
    readonly bytes: number;
    readonly preview: unknown;
    readonly next: string;
    readonly expires: string;
  };
  readonly isError?: boolean;
}

interface Kept {
  readonly n: number;
  readonly server: string;
  readonly uri: string;
  readonly hash: string;
}

describe.each(stores)('replies of every kind and size, kept on %s', (kind) => {
  let upstream: TestServer;
  let folder: string;
  let settings: Record<string, unknown>;
  let calling: RunningGateway;
  let reading: RunningGateway;
  let current: ReplyBody;
  const kept: Kept[] = [];
  const figures = { kept: 0, small: 0, pages: 0, bytes: 0, mostOfBudget: 0 };

  async function start(): Promise<RunningGateway> {
    return startGateway({ ...settings, egressAllow: ['127.0.0.1'], handleMaxBytes: 20_000_000_000 });
  }

  beforeAll(async () => {
    upstream = await serveHttp((_request, response) => {
      response.writeHead(200, current.type === '' ? {} : { 'content-type': current.type }).end(current.body);
    });
    folder = await mkdtemp(join(tmpdir(), 'handrail-replies-'));
    settings = { dataDir: join(folder, 'data'), secretKey: randomBytes(32).toString('base64') };
    if (kind === 'postgres') settings['databaseUrl'] = await createDatabase();
    calling = await start();
    await calling.admin('POST', '/apis', {
      slug: 'bodies',
      baseUrl: upstream.origin,
      auth: { kind: 'bearer' },
      limits: { maxReplyBytes: 200_000_000 },
    });
    await calling.admin('POST', '/credentials', { api: 'bodies', secret: echoedSecret });
    await calling.admin('POST', '/tools', {
      api: 'bodies',
      name: 'get_body',
      description: 'Gets a body.',
      operation: { method: 'GET', path: '/body' },
    });
    for (const [n, replyMaxTokens] of budgets.entries())
      await calling.admin('POST', '/servers', {
        slug: `s${n}`,
        name: `S ${n}`,
        tools: '*',
        policy: 'open',
        replyMaxTokens,
        selectArgument: true,
        ratePerMinute: 1_000_000,
      });
    reading = await start();
  });
  afterAll(async () => {
    await calling?.stop();
    await reading?.stop();
    await upstream?.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    console.info(`${kind}: ${JSON.stringify(figures)}`);
  });

  async function ask(at: RunningGateway, server: string, method: string, params: Record<string, unknown>) {
    const { body, headers } = modern(method, params);
    // Client and gateways are one process here, which bodies of 50 MB keep busy for so long that a kept connection is
    // closed on one side and not yet known to be on the other.
    const { json } = await post(`${at.url}/mcp/${server}`, body, { ...headers, connection: 'close' });
    if (json.error) throw new Error(`${method}: ${JSON.stringify(json.error)}`);
    return json.result as unknown;
  }
  const call = (at: RunningGateway, server: string, name: string, args: object) =>
    ask(at, server, 'tools/call', { name, arguments: args }) as Promise<Result>;

  /** What a model reads: the texts, and the structured content as JSON. */
  function expectWithin({ content, structuredContent }: Result, maxTokens: number): void {
    const texts = [...content.map(({ text = '' }) => text), JSON.stringify(structuredContent) ?? ''];
    const tokens = texts.reduce((sum, text) => sum + countTokens(text), 0);
    expect(tokens).toBeLessThanOrEqual(maxTokens);
    figures.mostOfBudget = Math.max(figures.mostOfBudget, tokens / maxTokens);
  }

  async function readHash(at: RunningGateway, { server, uri }: Pick<Kept, 'server' | 'uri'>) {
    const { contents } = (await ask(at, server, 'resources/read', { uri })) as {
      contents: { text?: string; blob?: string }[];
    };
    const [{ text, blob } = {}] = contents;
    return hashOf(text ?? Buffer.from(blob!, 'base64'));
  }

  /** One page, and where the next begins; null after the last. */
  async function readPage(server: string, maxTokens: number, args: Record<string, unknown>) {
    const result = await call(reading, server, 'read_reply', args);
    expect(result.isError, result.content[0]!.text).toBeUndefined();
    expectWithin(result, maxTokens);
    figures.pages++;
    const [shown, note] = result.content.map(({ text }) => text!);
    const next = /(?:Continue with|next record has) offset (\d+)/.exec(note!)?.[1];
    return { text: shown!, note: note!, next: next === undefined ? null : Number(next) };
  }

  /** All pages, joined as what they are pages of; a record that is longer than a page is read by `select`. */
  async function readPages(
    server: string,
    maxTokens: number,
    args: Record<string, unknown>,
  ): Promise<string> {
    const texts: string[] = [];
    let unit = '';
    for (let offset: number | null = 0; offset !== null;) {
      const page: Awaited<ReturnType<typeof readPage>> = await readPage(server, maxTokens, {
        ...args,
        offset,
      });
      if (page.note.startsWith('[Record ')) {
        unit = 'records';
        const select = /with select: (.+), or one of its fields/.exec(page.note)![1]!;
        texts.push(await readPages(server, maxTokens, { ...args, select }));
        if (offset === Number(/of (\d+) is/.exec(page.note)![1]) - 1) break;
      } else {
        unit = /^\[(?:There are no )?(\w+)/.exec(page.note)![1]!;
        texts.push(unit === 'records' ? page.text.slice(1, -1) : page.text);
      }
      offset = page.next;
    }
    if (unit === 'bytes')
      return Buffer.concat(texts.map((text) => Buffer.from(text, 'base64'))).toString('latin1');
    return unit === 'records' ? `[${texts.join(',')}]` : texts.join('');
  }

  async function checkOne(n: number): Promise<void> {
    current = bodyAt(n);
    const { body, text } = current;
    const server = `s${n % budgets.length}`;
    const maxTokens = budgets[n % budgets.length]!;
    const result = await call(calling, server, 'get_body', {});
    expect(result.isError, result.content[0]!.text?.slice(0, 500)).toBeUndefined();
    expectWithin(result, maxTokens);
    figures.bytes += body.length;
    const { structuredContent } = result;
    if (structuredContent === undefined) {
      figures.small++;
      // Of a page a model reads the words.
      if (text !== null && !current.type.startsWith('text/html')) expect(result.content[0]!.text).toBe(text);
      return;
    }
    figures.kept++;
    const { handle, bytes, preview, next, expires } = structuredContent;
    expect([next, expires]).toEqual([expect.stringContaining(handle), expect.stringMatching(/\d/)]);
    expect(bytes).toBe(text === null ? body.length : Buffer.byteLength(text));
    if (typeof preview === 'object' && preview !== null)
      expect(JSON.parse(result.content[1]!.text!)).toEqual(preview);
    const found = { n, server, uri: result.content.at(-1)!.uri!, hash: hashOf(text ?? body) };
    kept.push(found);
    expect(await readHash(reading, found)).toBe(found.hash);
    if (bytes <= maxTokens * readWholeBytesPerToken) {
      const pages = await readPages(server, maxTokens, { handle });
      if (text === null) expect(hashOf(Buffer.from(pages, 'latin1'))).toBe(found.hash);
      else if (pages.startsWith('[') && current.type.endsWith('json') && /\s$/.test(text))
        expect(hashOf(JSON.stringify(JSON.parse(pages)))).toBe(hashOf(JSON.stringify(JSON.parse(text))));
      else expect(hashOf(pages)).toBe(found.hash);
      return;
    }
    const total = Number(
      / of (\d+)/.exec((await readPage(server, maxTokens, { handle, limit: 1 })).note)![1],
    );
    for (let page = 0; page < somePages; page++) {
      const offset = Math.floor((total * page) / somePages);
      const { text: shown, note } = await readPage(server, maxTokens, { handle, offset });
      if (note.startsWith('[bytes')) {
        const some = Buffer.from(shown, 'base64');
        expect(some.equals(body.subarray(offset, offset + some.length))).toBe(true);
      } else if (note.startsWith('[lines')) expect(text).toContain(shown);
      else if (note.startsWith('[records') && !/\s$/.test(text!)) expect(text).toContain(shown.slice(1, -1));
    }
  }

  it('are within their budget, parse where they say so, and can be had back to the last byte', async () => {
    const failed: string[] = [];
    for (let n = first; n < first + howMany; n++) {
      try {
        await checkOne(n);
      } catch (error) {
        failed.push(`${n}: ${current.name}, budget ${budgets[n % budgets.length]}: ${whyOf(error)}`);
      }
      const done = n + 1 - first;
      if (done % progressEvery === 0)
        console.info(`${kind}: ${done} of ${howMany} bodies, ${failed.length} failed`);
    }
    expect(failed).toEqual([]);
    expect(figures.kept).toBeGreaterThan(howMany / 5);
  });

  it('are there after a restart of both instances', async () => {
    await calling.stop();
    await reading.stop();
    calling = await start();
    reading = await start();
    for (const each of kept.filter((_, n) => n % 4 === 0))
      expect(await readHash(each.n % 2 === 0 ? calling : reading, each), String(each.n)).toBe(each.hash);
  });

  it('cost no call for an expression that cannot be read, and one for one that does not fit, which leaves a handle', async () => {
    current = replyBody('records', firstSeed, 20_000);
    const before = upstream.seen;
    const wrong = await call(calling, 's0', 'get_body', { _select: 'items[' });
    expect([wrong.isError, upstream.seen - before]).toEqual([true, 0]);
    const unfit = await call(calling, 's0', 'get_body', { _select: 'sum(@[].name)' });
    expect([unfit.isError, upstream.seen - before]).toEqual([true, 1]);
    const none = await call(calling, 's0', 'get_body', { _select: 'nothing.here' });
    expect(none.content.map(({ text }) => text).join('\n')).toMatch(
      /^null\n\[select matched nothing in the reply\. Shape of the reply: \[.*items/,
    );
    const said = unfit.content[0]!.text!;
    expect(said).toContain('The call was made and succeeded');
    const handle = /reply_[\w-]+/.exec(said)![0];
    expect(hashOf(await readPages('s0', 10_000, { handle }))).toBe(hashOf(current.text!));
  });
});
