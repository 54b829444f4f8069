import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { WorkBudget } from '../../../src/lib/work-budget.ts';
import { inlineLimits } from '../../../src/pipeline/reply/reply-thread.ts';
import { modern, post } from '../../support/mcp-surface.ts';
import { type RunningGateway, startGateway } from '../../support/running-gateway.ts';
import { json, serveHttp, type TestServer } from '../../support/servers/http-server.ts';

const rows = (count: number) =>
  Array.from({ length: count }, (_, id) => ({ id, name: `Name ${id}`, tags: ['a', 'b', 'c'] }));
const again = (part: string, times: number, between = ' | ') =>
  Array.from({ length: times }, () => part).join(between);

const heavy = [
  "split(pad_left('b', `134217728`, 'a'), 'a')",
  "split(pad_right('b', `40000000`, 'a'), '')",
  '[].pad_right(name, `1000000`)',
  "pad_left('a', to_number('Infinity'))",
  again('[]', 240, ''),
  again('[@, @]', 40),
  again('{a: @, b: @}', 40),
  again('to_string([@, @])', 40),
  again('join(to_string(@), [$, $, $][].to_string(@))', 3),
  "replace(join('', [].name), '', to_string(@))",
  "replace('a', 'a', 'aa', `100000000`)",
  again('map(&[@, @], @)[]', 40),
  again('zip(@, @)[]', 60),
  `sort_by(${again('map(&[@, @], @)[]', 20)}, &to_string($))`,
  'group_by(@, &to_string($))',
  '[].merge(@, from_items(zip($[].name, map(&to_string($), $))))',
  'let $x = @ in [].[$x, $x[].[$x, $x]][][][].name',
  `(${again('[@, @]', 30)}) == (${again('[@, @]', 30)})`,
];

const refused = [
  `${'('.repeat(990)}a${')'.repeat(990)}`,
  '!'.repeat(1_990),
  again('[*]', 600, ''),
  `'${'a'.repeat(3_000)}'`,
  '/a'.repeat(5_000),
];

describe('an expression that a caller selects with', () => {
  let upstream: TestServer;
  let gateway: RunningGateway;
  const keys: string[] = [];
  let mainThreadSteps = 0;

  beforeAll(async () => {
    const [few, many] = [rows(500), rows(20_000)];
    upstream = await serveHttp((request, response) =>
      json(response, 200, request.url!.includes('many') ? many : few),
    );
    gateway = await startGateway({ egressAllow: ['127.0.0.1'] });
    await gateway.admin('POST', '/apis', { slug: 'rows', baseUrl: upstream.origin });
    for (const name of ['few', 'many'])
      await gateway.admin('POST', '/tools', {
        api: 'rows',
        name,
        description: 'Lists rows.',
        operation: { method: 'GET', path: `/${name}` },
      });
    await gateway.admin('POST', '/tools', {
      api: 'rows',
      name: 'shaped',
      description: 'Lists rows.',
      reply: { select: heavy[0], template: `{{${again('[@, @]', 40)}}}` },
      operation: { method: 'GET', path: '/few' },
    });
    await gateway.admin('POST', '/servers', {
      slug: 'rows',
      tools: '*',
      policy: 'key',
      selectArgument: true,
      ratePerMinute: 1_000_000,
    });
    for (const name of ['one', 'other'])
      keys.push((await gateway.admin('POST', '/keys', { name })).body.key as string);
    // Threads have a class of their own: what is counted here is the main thread's.
    const real = WorkBudget.prototype.spend;
    vi.spyOn(WorkBudget.prototype, 'spend').mockImplementation(function (this: WorkBudget, steps, bytes) {
      real.call(this, steps, bytes);
      mainThreadSteps += steps;
    });
  });
  afterAll(async () => {
    vi.restoreAllMocks();
    await gateway?.stop();
    await upstream?.close();
  });

  async function call(key: string, name: string, select?: string) {
    const { body, headers } = modern('tools/call', {
      name,
      arguments: select === undefined ? {} : { _select: select },
    });
    const { json: answer } = await post(`${gateway.url}/mcp/rows`, body, {
      ...headers,
      authorization: `Bearer ${key}`,
    });
    const result = answer.result as { isError?: boolean; content: { text: string }[] };
    return { isError: result.isError === true, text: result.content[0]!.text };
  }

  it.each(heavy)('is ended, with an error that says what it took too much of: %s', async (select) => {
    const { isError, text } = await call(keys[0]!, 'many', select);
    expect(isError, text).toBe(true);
    expect(text).toMatch(
      /it (?:takes more than [\d,]+ steps|(?:produces|selects) more than \d+ MB|is nested deeper)/,
    );
    expect(text).toContain('select less, or use a simpler expression');
    expect(text).toContain('read_reply');
  });

  it.each(heavy)('takes few steps on the main thread, however short the reply: %s', async (select) => {
    mainThreadSteps = 0;
    const { text } = await call(keys[0]!, 'few', select);
    expect(text).not.toBe('');
    expect(mainThreadSteps).toBeGreaterThan(0);
    expect(mainThreadSteps).toBeLessThanOrEqual(inlineLimits.steps);
  });

  it.each(refused)(
    'is refused before the API is called when it is too long or too deep: %s',
    async (select) => {
      const { isError, text } = await call(keys[0]!, 'few', select);
      expect(isError).toBe(true);
      expect(text).toMatch(/^.*select (?:has more than|is nested deeper)/);
    },
  );

  it('is ended as well where an operator wrote it', async () => {
    const { isError, text } = await call(keys[0]!, 'shaped');
    expect(isError).toBe(true);
    expect(text).toMatch(/too large for what this tool makes of it: it (?:takes|produces) more than/);
  });

  it('does not make another caller wait for it', async () => {
    const done: string[] = [];
    const one = Array.from({ length: 6 }, async (_, n) => {
      await call(keys[0]!, 'many', again('[]', 230, ''));
      done.push(`heavy ${n}`);
    });
    const other = call(keys[1]!, 'many', 'length(@)').then((answer) => {
      done.push('length');
      return answer;
    });
    const short = call(keys[1]!, 'few', 'length(@)').then((answer) => {
      done.push('short');
      return answer;
    });
    expect((await other).text).toBe('20000');
    expect((await short).text).toBe('500');
    await Promise.all(one);
    // The six of one caller run one after the other; the other caller's turn does not come behind them.
    expect(done.indexOf('length')).toBeLessThan(3);
    expect(done.indexOf('short')).toBeLessThan(3);
  });
});
