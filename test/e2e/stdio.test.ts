import { mkdtemp, rm } from 'node:fs/promises';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { spawnHandrail } from '../support/command.ts';

it('greets on a new data folder, and says once loaded what it greeted with', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'handrail-stdio-'));
  try {
    const greetings: unknown[] = [];
    for (const _ of ['a new folder', 'the folder it made']) {
      const child = spawnHandrail(['stdio', '--data-dir', join(folder, 'data')]);
      const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
      const ask = async (message: object) => {
        child.stdin!.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
        return JSON.parse(((await lines.next()) as { value: string }).value) as {
          id: unknown;
          result: unknown;
        };
      };
      const params = {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'stdio', version: '1' },
      };
      greetings.push(await ask({ id: 1, method: 'initialize', params }));
      child.stdin!.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
      const listed = await ask({ id: 2, method: 'tools/list' });
      expect(JSON.stringify(listed)).toContain('weather_get');
      child.stdin!.end();
      expect((await once(child, 'exit'))[0]).toBe(0);
    }
    expect(greetings[0]).toEqual(greetings[1]);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
});

it('answers what was piped in before the pipe was closed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'handrail-stdio-'));
  try {
    const child = spawnHandrail(['stdio', '--data-dir', join(folder, 'data')]);
    const answers: unknown[] = [];
    createInterface({ input: child.stdout! }).on('line', (line) =>
      answers.push((JSON.parse(line) as { id: unknown }).id),
    );
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'pipe', version: '1' },
    };
    const lines = [
      { id: 1, method: 'initialize', params },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/list' },
      { id: 3, method: 'tools/call', params: { name: 'weather_get', arguments: { location: 'Berlin' } } },
    ];
    child.stdin!.end(lines.map((line) => JSON.stringify({ jsonrpc: '2.0', ...line })).join('\n'));
    expect((await once(child, 'close'))[0]).toBe(0);
    expect(new Set(answers)).toEqual(new Set([1, 2, 3]));
    expect(answers).toHaveLength(3);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
});
