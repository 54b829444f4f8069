import { afterAll, describe, expect, it } from 'vitest';
import { createSandbox, type SandboxTask } from '../../src/sandbox/sandbox.ts';
import { hostileScripts } from './hostile-scripts.ts';

// In this process, where no script should ever find it.
const canary = 'canary-in-the-host-8150';
process.env['HANDRAIL_CANARY'] = canary;
Object.assign(globalThis, { handrailCanary: canary });

const limits = {
  memoryBytes: 16 * 1024 * 1024,
  cpuMs: 100,
  wallMs: 20_000,
  calls: 50,
  callsAtOnce: 10,
  resultChars: 1_000_000,
  outputChars: 10_000,
};
const sandbox = createSandbox(2);
afterAll(() => sandbox.close());

async function run(source: string) {
  const heard: string[] = [];
  const answer: SandboxTask['answer'] = async (kind, payload) => {
    if (kind === 'sleep') return { isDone: true, text: '' };
    const isFailing = payload.includes('fail');
    return isFailing
      ? { isDone: false, text: '{"message":"It failed.","code":"upstream_status","status":500}' }
      : { isDone: true, text: '[{"id":1}]' };
  };
  const { end } = await sandbox.run({
    callerId: 'attacker',
    source,
    apis: ['shop'],
    limits,
    signal: { aborted: false },
    answer,
    hear: (_kind, text) => heard.push(text),
  });
  return { end, heard };
}

describe('a hostile script', () => {
  const scripts = Object.entries(hostileScripts).flatMap(([what, sources]) =>
    sources.map((source, n) => [`${what} ${n}`, source] as const),
  );

  it('is one of very many', () => {
    expect(scripts.length).toBeGreaterThanOrEqual(250);
    expect(new Set(scripts.map(([, source]) => source)).size).toBe(scripts.length);
  });

  it.each(scripts)('ends within its limits and finds nothing: %s', async (_what, source) => {
    const { end, heard } = await run(source);
    const told = JSON.stringify([end, heard]);
    expect(told).not.toContain(canary);
    expect(told).not.toContain(process.cwd());
    expect(told).not.toMatch(/node_modules|node:internal|\/src\/|\/dist\//);
    expect(heard.join('').length).toBeLessThanOrEqual(limits.outputChars);
    if (end.kind === 'returned') expect(end.text.length).toBeLessThanOrEqual(limits.resultChars);
    if (end.kind === 'stopped') expect(['cpu', 'memory', 'stack', 'stuck', 'wall']).toContain(end.why);
    // Whatever it did, the next one finds everything as it should be.
    expect((await run('return [1, (await tools.shop.list())[0].id, typeof print]')).end).toEqual({
      kind: 'returned',
      text: '[1,1,"function"]',
    });
  });
});
