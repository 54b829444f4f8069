import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'handrail-starting-'));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

describe('handrail serve', () => {
  it.each([32, 64])('says what to do about a limit of %d open files', (limit) => {
    const { status, stderr } = spawnSync(
      'sh',
      [
        '-c',
        `ulimit -n ${limit}; exec "$0" dist/main.js serve --port 0 --data-dir "$1"`,
        process.execPath,
        folder,
      ],
      { cwd: root, encoding: 'utf8' },
    );
    expect(stderr).toBe(
      'handrail: The limit for open files is too low to start. Raise it, for example with "ulimit -n 1024" before ' +
        'starting, or LimitNOFILE= in a systemd unit; every connection needs one as well.\n',
    );
    expect(status).toBe(3);
  });
});

describe('npm run soak', () => {
  it('fills and measures a store with call records', () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['scripts/soak/ten-million-calls.js', '2000'],
      { cwd: root, encoding: 'utf8' },
    );
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('2,000 calls');
  });
});
