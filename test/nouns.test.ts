import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commands } from '../src/cli/commands.ts';
import { adminRoutes } from '../src/http/admin/mount.ts';
import { en } from '../web/admin/src/i18n/en.ts';
import { es } from '../web/admin/src/i18n/es.ts';
import { exportOmissions } from '../src/domain/export-omissions.ts';
import { nounNames, storedNouns } from '../src/domain/stored/read-stored.ts';
import { editRows } from './support/edit-rows.ts';
import { startGateway, type TestGateway } from './support/gateway.ts';
import { machinery, type NounRow, nounTable } from './support/nouns/noun-table.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const nouns = Object.entries(nounTable);

/** Fails unless a file has a text, or the column says why it isn't needed. */
function expectPlace(noun: string, column: string, place: readonly [string, string] | { notNeeded: string }) {
  if ('notNeeded' in place) return expect(place.notNeeded, `${noun}: ${column}`).not.toBe('');
  const [file, text] = place;
  expect(existsSync(join(root, file)), `${noun}: ${column}: ${file} does not exist`).toBe(true);
  expect(read(file).includes(text), `${noun}: ${column}: ${file} does not mention ${text}`).toBe(true);
}

describe('every noun has', () => {
  let at: TestGateway;
  let dataDir: string;
  let tables: readonly string[];
  let routes: ReturnType<typeof adminRoutes>;
  let sources: string;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'handrail-nouns-'));
    at = await startGateway({ dataDir });
    routes = adminRoutes(at.gateway.context);
    tables = await editRows({ dataDir }, async (rows) => {
      const found = await rows.run(`select name from sqlite_master where type = 'table'`);
      return found.map((row) => String(row['name']));
    });
    sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .map((file) => read(join('src', file)))
      .join('\n');
  });
  afterAll(async () => {
    await at.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('a table, and every table has a noun', () => {
    const owned = nouns.flatMap(([, row]) => row.tables as readonly string[]);
    expect(new Set(owned).size).toBe(owned.length);
    const known = new Set([...owned, ...Object.keys(machinery)]);
    expect(tables.filter((table) => !table.startsWith('sqlite_') && !known.has(table))).toEqual([]);
  });

  it('a domain schema and a parser of what is stored', () => {
    for (const [noun, { schema, parser }] of nouns) {
      expectPlace(noun, 'schema', schema);
      expectPlace(noun, 'parser', parser);
    }
    expect(Object.keys(storedNouns).filter((kind) => !(kind in nounTable))).toEqual([]);
  });

  it('a rule, or a reason not to need one', () => {
    for (const [noun, { rule }] of nouns) expectPlace(noun, 'rule', rule);
    expect(nouns.length).toBeGreaterThan(10);
  });

  it('routes to list, show and change it, which the access matrix walks', () => {
    const ids = new Set(routes.map(({ contract }) => contract.id));
    const missing = nouns.flatMap(([noun, { contract }]) => {
      if ('notNeeded' in contract) return [];
      const wanted = [contract.list, contract.show, ...contract.change];
      return wanted.filter((id) => !ids.has(id)).map((id) => `${noun}: ${id}`);
    });
    expect(missing).toEqual([]);
    // The matrix takes its routes from the same function, so no route of a noun can be left out of it.
    expectPlace('all', 'access matrix', ['test/e2e/access/access-matrix.test.ts', 'adminRoutes(']);
  });

  it('actions in the audit log', () => {
    const missing = nouns.flatMap(([noun, { audit }]) => {
      if ('notNeeded' in audit) return [];
      // The actions of the registry's kinds are made from the kind.
      const ofRegistry = (action: string) => noun in storedNouns && /\.(create|update|delete)$/.test(action);
      return audit.filter((action) => !ofRegistry(action) && !sources.includes(`'${action}'`));
    });
    expect(missing).toEqual([]);
  });

  it('a command that lists, shows and changes it', async () => {
    for (const [noun, { cli }] of nouns) {
      if ('notNeeded' in cli) continue;
      const command = await commands[cli.command]?.();
      const words = (command?.usage ?? '').split(/[^a-z-]+/);
      const missing = [cli.list, cli.show, ...cli.change].filter((word) => !words.includes(word));
      expect(missing, `${noun}: handrail ${cli.command}`).toEqual([]);
    }
  });

  it('a page with an empty state, in English and Spanish', () => {
    const pages = read('web/admin/src/app/page-table.ts');
    for (const [noun, { page }] of nouns) {
      if ('notNeeded' in page) continue;
      expect(pages.includes(`  ${page.name}: {`), `${noun}: page`).toBe(true);
      expect(typeof en[page.empty], `${noun}: ${page.empty}`).not.toBe('undefined');
      expect(es[page.empty], `${noun}: ${page.empty}`).not.toEqual(en[page.empty]);
    }
  });

  it('a place in an export, or in the list of what an export omits', async () => {
    const exported = (await at.request('GET', '/api/v1/export')).json<Record<string, unknown>>();
    for (const [noun, { transfer }] of nouns) {
      if ('exported' in transfer) expect(Object.keys(exported), noun).toContain(transfer.exported);
    }
    const omitted = nouns.filter(([noun, { transfer }]) => noun in storedNouns && 'notNeeded' in transfer);
    expect(exportOmissions.length).toBeGreaterThanOrEqual(omitted.length);
    expect(Object.keys(nounNames).length).toBeGreaterThanOrEqual(Object.keys(storedNouns).length);
  });

  it('retention, failures that show, and hostile rows', () => {
    const metrics = read('docs/reference/metrics.md');
    for (const [noun, { retention, failure, hostile, configFiles }] of nouns) {
      expect(configFiles.notNeeded).not.toBe('');
      expectPlace(noun, 'retention', retention);
      expectPlace(noun, 'hostile', hostile);
      if ('notNeeded' in failure) continue;
      expect(failure.metric ?? failure.doctor, `${noun}: failure`).toBeDefined();
      if (failure.metric !== undefined)
        expect(metrics.includes(`\`${failure.metric}\``), `${noun}: ${failure.metric}`).toBe(true);
      if (failure.doctor !== undefined) expectPlace(noun, 'doctor', failure.doctor);
    }
  });

  it('a section in the docs', () => {
    const headings = (file: string) =>
      read(file)
        .split('\n')
        .filter((line) => line.startsWith('#'))
        .map((line) => line.replace(/^#+ /, ''));
    const missing = nouns.filter(([, { docs }]: [string, NounRow]) => {
      const [file, heading] = docs;
      return !headings(file).some((one) => one.startsWith(heading));
    });
    expect(missing.map(([noun, { docs }]) => `${noun}: ${docs.join(' # ')}`)).toEqual([]);
  });
});
