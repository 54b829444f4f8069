import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/load-config.ts';
import { envName, type SettingName, settings } from '../../../src/config/settings.ts';
import { HandrailError } from '../../../src/domain/errors.ts';
import { startGateway } from '../../support/gateway.ts';

const folder = mkdtempSync(join(tmpdir(), 'handrail-config-'));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

const hostile: readonly unknown[] = [
  null,
  true,
  5.5,
  -1,
  1e300,
  '',
  '\u0000',
  'nonsense',
  '__proto__',
  'http://[',
  'x'.repeat(100_000),
  [],
  [5],
  {},
  { constructor: 1 },
];

/** What reading the configuration is refused with; null when it is taken. */
function refusalOf(read: () => unknown): HandrailError | null {
  try {
    read();
    return null;
  } catch (error) {
    if (error instanceof HandrailError) return error;
    throw error;
  }
}

function fileWith(content: string): string {
  const file = join(folder, 'handrail.json');
  writeFileSync(file, content);
  return file;
}

describe('a configuration', () => {
  const names = Object.keys(settings) as SettingName[];

  test.each(names)('takes for %s what it can use, and refuses the rest by its name', (name) => {
    let refused = 0;
    for (const value of hostile) {
      const refusal = refusalOf(() => loadConfig({ file: fileWith(JSON.stringify({ [name]: value })) }));
      if (refusal === null) continue;
      refused++;
      expect(refusal.code).toBe('config_invalid');
      expect(refusal.details.problems?.[0]?.path).toBe(name);
      expect(refusal.details.problems?.[0]?.message).toMatch(/^must .{5,}/);
    }
    // An object is nothing that any setting could be.
    expect(refused).toBeGreaterThan(2);
    const fromEnv = refusalOf(() => loadConfig({ env: { [envName(name)]: '\u0000[' } }));
    expect(fromEnv === null || fromEnv.details.problems?.[0]?.path === envName(name)).toBe(true);
  });

  test.each(['noSuchSetting', '__proto__', 'constructor', 'toString', 'k'.repeat(5_000)])(
    'refuses a setting that nobody knows: %s',
    (name) => {
      const refusal = refusalOf(() => loadConfig({ file: fileWith(`{${JSON.stringify(name)}: 1}`) }));
      expect(refusal?.details.problems).toEqual([{ path: name, message: 'is not a setting' }]);
    },
  );

  test.each(['', '[]', 'null', '5', '{"port": ', '\u0000'])('refuses a file that holds %j', (content) => {
    expect(refusalOf(() => loadConfig({ file: fileWith(content) }))?.code).toBe('config_invalid');
  });

  test.each([['10.0.0.0/99'], ['http://a'], ['a b'], ['[::1']])(
    'refuses to start with the egress list %j',
    async (entry) => {
      await expect(startGateway({ egressAllow: [entry] })).rejects.toMatchObject({
        code: 'config_invalid',
        message: expect.stringContaining('HANDRAIL_EGRESS_ALLOW') as string,
      });
    },
  );
});
