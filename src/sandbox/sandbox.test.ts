import { afterAll, describe, expect, it } from 'vitest';
import { createSandbox, type SandboxTask } from './sandbox.ts';

const sandbox = createSandbox(2);
afterAll(() => sandbox.close());

const limits = {
  memoryBytes: 64 * 1024 * 1024,
  cpuMs: 300,
  wallMs: 60_000,
  calls: 100,
  callsAtOnce: 10,
  resultChars: 100_000,
  outputChars: 1_000,
};

async function run(source: string, more: Partial<SandboxTask> = {}) {
  const heard: string[] = [];
  const { end } = await sandbox.run({
    callerId: 'somebody',
    source,
    apis: ['shop'],
    limits,
    signal: { aborted: false },
    answer: async (_kind, payload) => ({ isDone: true, text: JSON.stringify(payload) }),
    hear: (kind, text) => heard.push(`${kind} ${text}`),
    ...more,
  });
  return { end, heard };
}

const value = async (source: string, more?: Partial<SandboxTask>): Promise<unknown> => {
  const { end } = await run(source, more);
  return end.kind === 'returned' ? JSON.parse(end.text || 'null') : end;
};

describe('a script', () => {
  it.each([
    ['return { a: tools.shop.list() }', '"a" is a promise: put await before the call.'],
    ['await tools.shop.get({ id: tools.shop.list() })', '"id" is a promise: put await before the call.'],
    ['return new Map([["a", 1]])', 'it is a Map, which JSON cannot hold: use Object.fromEntries(map).'],
    ['return [new Set([1])]', '"0" is a Set, which JSON cannot hold: use [...set].'],
  ])('says what to write instead of %j', async (source, sentence) => {
    expect((await run(source)).end).toMatchObject({
      kind: 'threw',
      error: { message: expect.stringContaining(sentence) },
    });
  });

  it('keeps its lines in any form', async () => {
    expect((await run('```js\nasync () => {\n  nothing.here;\n}\n```')).end).toMatchObject({
      error: { line: 3 },
    });
  });

  it.each([
    ['returns a value', 'return { a: [1, "x", null] }', { a: [1, 'x', null] }],
    ['is an arrow function', 'async () => {\n  return 1;\n};', 1],
    ['is an anonymous function', 'async function () { return 2 }', 2],
    ['is a module', 'const a = 3;\nexport default async function run() { return a }', 3],
    ['exports an arrow function', 'export default async () => 4', 4],
    ['exports a value', 'export default 5', 5],
    ['exports a function and calls it', 'export async function main() { return 6 }\nmain();', 6],
    ['has a main that it calls', 'async function main(){ return 7 } main()', 7],
    ['has a main that it awaits', 'const main = async () => { return 8 };\nawait main();', 8],
    ['has a main that it returns', 'async function main() { return 9 }\nreturn main();', 9],
    ['has a main that nothing calls', 'async function main() {\n  return 10;\n}', 10],
    ['calls itself', '(async () => {\n  return 11;\n})();', 11],
    ['is a code block', '```ts\nconst a: number = 12;\nreturn a;\n```', 12],
    ['is a function in a code block', '```javascript\nasync () => { return 13 }\n```\n', 13],
    ['awaits at its top', 'return await Promise.resolve(7)', 7],
    ['returns nothing', 'const a = 1', null],
    ['is TypeScript', 'interface A { b: number }\nconst a: A = { b: 1 }; return (a as A).b', 1],
    ['gives types to calls', 'const f = <T,>(a: T): T => a; return f<number>(4)', 4],
    ['writes BigInts with all digits', 'return [12345678901234567890n]', ['12345678901234567890']],
    ['asks for a tool', 'return await tools.shop.list({ a: 1 })', '["shop","list"]\n{"a":1}'],
    [
      'asks for more than one request',
      'return await tools.shop.list({}, { all: true })',
      '["shop","list",{"all":true}]\n{}',
    ],
    ['has no input of its own', 'return typeof input', 'undefined'],
    ['names a tool alone', 'return await tools.list()', '[null,"list"]\n{}'],
    ['names a tool by its old name', 'return await tools.shop["a/b"]()', '["shop","a/b"]\n{}'],
    [
      'makes calls at once',
      'return (await Promise.all([1, 2, 3].map((i) => tools.shop.get({ i })))).length',
      3,
    ],
    ['knows its APIs', 'return Object.keys(tools)', ['shop']],
    ['may hold tools in what it returns', 'return { tools, one: tools.shop }', {}],
  ])('%s', async (_what, source, expected) => {
    expect(await value(source)).toEqual(expected);
  });

  it('draws other numbers each time', async () => {
    const source = 'return [Math.random(), Math.random()]';
    const [one, other] = [await value(source), await value(source)];
    expect(one).not.toEqual(other);
    expect(new Set([one, other].flat()).size).toBe(4);
  });

  it('prints and shows up to a limit', async () => {
    const { heard } = await run('print("a", { b: 1 }); console.log(2); show([3])');
    expect(heard).toEqual(['print a {"b":1}', 'print 2', 'show [3]']);
    const many = await run('for (let i = 0; i < 10_000; i++) print("line " + i)');
    expect(many.heard.join('').length).toBeLessThan(2_000);
    expect(many.end.kind).toBe('returned');
  });

  it.each([
    ['throws', 'const a = 1;\nthrow new TypeError("no")', { name: 'TypeError', message: 'no', line: 2 }],
    ['throws what is no error', 'throw { a: 1 }', { message: 'The script threw {"a":1}' }],
    ['is no script', 'const a = ;', { name: 'SyntaxError', line: 1 }],
    ['needs more than types taken away', 'enum A { B }\nreturn A.B', { name: 'SyntaxError', line: 1 }],
    ['returns what is no JSON', 'const a = {}; a.a = a; return a', {}],
    ['returns too much', 'return "x".repeat(200_000)', {}],
    ['imports', 'return await import("node:fs")', {}],
  ])('fails when it %s', async (_what, source, error) => {
    expect((await run(source)).end).toMatchObject({ kind: 'threw', error });
  });

  it('fails where it asked for what failed', async () => {
    const answer: SandboxTask['answer'] = async () => ({
      isDone: false,
      text: '{"message":"gone","code":"upstream_status","status":410}',
    });
    const source =
      'try {\n  await tools.shop.get();\n} catch (error) {\n  return [error.code, error.status];\n}';
    expect(await value(source, { answer })).toEqual(['upstream_status', 410]);
    expect((await run('1;\n2;\nawait tools.shop.get()', { answer })).end).toMatchObject({
      kind: 'threw',
      error: { message: 'gone', line: 3 },
    });
  });

  it('rejects one answer that is no JSON, and goes on', async () => {
    const answer: SandboxTask['answer'] = async (_kind, payload) => ({
      isDone: true,
      text: payload.includes('bad') ? '{broken' : '1',
    });
    expect(
      await value(
        'const bad = await tools.shop.bad().catch((e) => e.code); return [bad, await tools.shop.ok()]',
        {
          answer,
        },
      ),
    ).toEqual(['reply_invalid', 1]);
  });
});

describe('a script that would not end', () => {
  it.each([
    ['loops', 'for (;;);', 'cpu'],
    ['loops behind a catch', 'for (;;) { try { for (;;); } catch {} }', 'cpu'],
    ['has jobs without end', 'const f = async () => { for (;;) await null }; await f()', 'cpu'],
    ['is one long step of the engine', 'new Array(1e9) + ""', 'cpu'],
    ['waits for nothing', 'await new Promise(() => {})', 'stuck'],
  ])('is stopped when it %s', async (_what, source, why) => {
    expect((await run(source)).end).toMatchObject({ kind: 'stopped', why });
    expect(await value('return 1')).toBe(1);
  });

  it('is stopped when its time is over while it waits', async () => {
    const answer: SandboxTask['answer'] = () => new Promise(() => {});
    const { end } = await run('await tools.shop.get()', { answer, limits: { ...limits, wallMs: 300 } });
    expect(end).toMatchObject({ kind: 'stopped', why: 'wall' });
  });

  it('is stopped when its caller goes away, computing or waiting', async () => {
    for (const source of ['await tools.shop.get()', 'await null; for (;;);', 'new Array(1e9) + ""']) {
      const signal = { aborted: false };
      const answer: SandboxTask['answer'] = () => new Promise(() => {});
      const running = run(source, { signal, answer, limits: { ...limits, cpuMs: 60_000 } });
      signal.aborted = true;
      expect((await running).end).toMatchObject({ kind: 'stopped', why: 'cancelled' });
    }
  });

  it('ends when it takes all memory', async () => {
    const { end } = await run('const a = []; for (;;) a.push(new Uint8Array(1e6))', {
      limits: { ...limits, cpuMs: 20_000 },
    });
    expect(end).toMatchObject({ kind: 'threw', error: { message: 'out of memory' } });
  });
});

describe('scripts that wait', () => {
  it('let others run, and survive one whose thread is ended', async () => {
    const one = createSandbox(1);
    try {
      const open: (() => void)[] = [];
      const answer: SandboxTask['answer'] = () =>
        new Promise((resolve) => open.push(() => resolve({ isDone: true, text: '2' })));
      const task = (source: string): SandboxTask => ({
        callerId: 'somebody',
        source,
        apis: [],
        limits,
        signal: { aborted: false },
        answer,
        hear: () => {},
      });
      const waiting = ['a', 'b', 'c'].map((name) =>
        one.run(
          task(`const big = ["${name}"].concat(new Array(1000).fill(1)); return big[0] + await tools.x()`),
        ),
      );
      while (open.length < 3) await new Promise((resolve) => setTimeout(resolve, 5));
      const { end } = await one.run(task('new Array(1e9) + ""'));
      expect(end).toMatchObject({ kind: 'stopped', why: 'cpu' });
      for (const answerOne of open) answerOne();
      const ends = await Promise.all(waiting);
      expect(ends.map((each) => each.end)).toEqual(
        ['"a2"', '"b2"', '"c2"'].map((text) => ({ kind: 'returned', text })),
      );
    } finally {
      await one.close();
    }
  });
});
