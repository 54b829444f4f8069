import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countTokens } from '../../src/listing/tokens/count-tokens.ts';
import { run as runCommand } from '../../src/cli/commands/run.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { type RunningGateway, startGateway } from '../support/running-gateway.ts';

const guide = readFileSync(new URL('../../docs/guide/code.md', import.meta.url), 'utf8');
const section = guide.slice(guide.indexOf('## Five examples'), guide.indexOf('## On real APIs'));
const examples = [...section.matchAll(/```ts\n(.*?)```/gs)].map((match) => match[1]!);

describe('the guide to code mode', () => {
  let running: RunningGateway;
  beforeAll(async () => {
    running = await startGateway({ demo: true });
  });
  afterAll(() => running.stop());

  const run = async (code: string) =>
    (await running.admin('POST', '/servers/default/run', { code, surface: 'admin' })).body;

  it('has five examples, which do what they say', async () => {
    expect(examples).toHaveLength(5);
    const [compared, found, read, failed, changed] = await Promise.all(examples.map(run));
    expect(JSON.parse(compared.result)).toHaveLength(3);
    expect(compared.calls).toHaveLength(3);
    expect(found.result).toBe('"tools.demo.send_notification"');
    expect(found.printed[0]).toContain('recipients: string[]');
    expect(JSON.parse(read.result).count).toBeGreaterThan(0);
    expect(failed.result).toBe('["invalid_arguments"]');
    expect([changed.result, changed.shown]).toEqual(['"sent"', ['A notification was sent.']]);
    for (const { result } of [compared, found, read, failed, changed])
      expect(countTokens(result)).toBeLessThanOrEqual(500);
  });

  it('says how a file is run', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'handrail-run-'));
    try {
      const file = join(folder, 'report.ts');
      writeFileSync(file, examples[0]!);
      const printed: string[] = [];
      const told: string[] = [];
      const code = await runCommand.run({
        words: [file],
        options: {},
        config: loadConfig({ flags: { adminToken: 'a-token-for-tests-only' } }),
        json: false,
        url: running.url,
        print: (line) => printed.push(line),
        printError: (line) => told.push(line),
      });
      expect([code, told.at(-1)]).toEqual([0, expect.stringMatching(/^3 calls in/)]);
      expect(JSON.parse(printed.join('\n'))).toHaveLength(3);
      await expect(
        runCommand.run({
          words: [join(folder, 'none.ts')],
          options: {},
          config: loadConfig({ flags: { adminToken: 'a-token-for-tests-only' } }),
          json: false,
          url: running.url,
          print: () => {},
          printError: () => {},
        }),
      ).rejects.toThrow('cannot be read');
    } finally {
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    }
  });
});
