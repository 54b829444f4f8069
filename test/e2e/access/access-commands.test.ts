import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commands } from '../../../src/cli/commands.ts';
import { loadConfig } from '../../../src/config/load-config.ts';

describe('commands about who may do what', () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'handrail-test-'));
  });
  afterAll(() => rm(dataDir, { recursive: true, force: true, maxRetries: 10 }));

  async function run(line: string, options: Record<string, string> = {}, json = false) {
    const [name, ...words] = line.split(' ');
    const out: string[] = [];
    const errors: string[] = [];
    const command = await commands[name!]!();
    const code = await command.run({
      words,
      options,
      config: loadConfig({ flags: { dataDir, logLevel: 'silent', demo: false } }),
      json,
      url: undefined,
      print: (text) => out.push(text),
      printError: (text) => errors.push(text),
    });
    return { code, out, errors };
  }

  test('someone is invited, listed, given a new link and removed, by name', async () => {
    const added = await run('people invite Grace', { role: 'owner' });
    expect(added.out[0]).toMatch(/\/admin\/invitation#hrinvite_/);
    expect(added.errors[0]).toContain('shown only once');
    const listed = await run('people');
    expect(listed.out[1]).toMatch(/Grace +owner +invited/);
    const again = await run('people reset-password grace');
    expect(again.out[0]).toMatch(/#hrinvite_/);
    expect(again.out[0]).not.toBe(added.out[0]);
    await run('people invite Guest', { role: 'viewer' });
    expect((await run('people remove Guest')).out).toEqual(['Guest: removed']);
    expect((await run('people list')).out).toHaveLength(2);
    await expect(run('people remove Nobody')).rejects.toThrow('There is no one named "Nobody"');
    await expect(run('people promote Grace')).rejects.toThrow('unknown action "promote"');
  });

  test('a key is rotated: the new one on stdout, the old one told about', async () => {
    const made = JSON.parse((await run('keys create laptop', {}, true)).out[0]!) as { id: string };
    const rotated = await run(`keys rotate ${made.id}`, { overlap: '48' });
    expect(rotated.out[0]).toMatch(/^hrk_/);
    expect(rotated.errors[0]).toContain('stays valid for up to 48 h');
    await expect(run(`keys rotate ${made.id}`, { overlap: 'soon' })).rejects.toThrow('--overlap must be');
    expect((await run('keys')).out).toHaveLength(3);
  });

  test('the audit log is read and searched', async () => {
    const all = await run('audit', {}, true);
    const entries = JSON.parse(all.out[0]!) as { action: string }[];
    expect(entries.map((entry) => entry.action)).toContain('person.delete');
    const found = await run('audit', { search: 'laptop', kind: 'key' });
    expect(found.out.join('\n')).toMatch(/key\.create +laptop/);
    expect((await run('audit', { search: 'nothing like this' })).out).toEqual([
      'No matching entries in the audit log.',
    ]);
  });
});
