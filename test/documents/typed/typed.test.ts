import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { copySources } from '../../support/sources/copy-sources.mjs';
import { lastingPort } from '../../support/servers/lasting-port.mjs';
import { readBlocks } from '../read-blocks.ts';
import { openTerminal, type Terminal } from './terminal.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const work = mkdtempSync(join(tmpdir(), 'handrail-typed-'));
const origin = join(work, 'origin');

/** What each page has to have printed at its end. */
const pages: readonly (readonly [page: string, prints: readonly string[]])[] = [
  ['README.md', ['"temperature', 'The Left Hand of Darkness', '"mcpServers"']],
  [
    'docs/start/internal-api.md',
    [
      'refused, as it should be',
      'HANDRAIL_EGRESS_ALLOW',
      'The Dispossessed',
      'totalCents',
      'Invisible Cities',
      'claude mcp add',
    ],
  ],
  ['docs/start/agent.md', ['"temperature"']],
  [
    'docs/start/company.md',
    ['travel', 'sales: published', 'Northwind', '${input:handrail-everything-key}', 'staffList'],
  ],
];

/** Blocks that are not typed here, and who proves them. */
const elsewhere: Readonly<Record<string, string>> = {
  'npm test': 'the first line of .ci/run',
  'cd examples/agents\nnpm ci': 'test/suites/agents.sh installs them and runs each',
  'docker compose up --build': 'test/suites/image.sh replays the steps of the image',
};

// Lines after which a terminal is busy.
const hasMore = /^(?:\w+=\S+ )*(?:npm start|handrail serve|node examples\/\S+\/server\.js)\b/;

beforeAll(() => {
  // What would be pushed, as a repository: the sources as they stand, also those that are not committed yet.
  mkdirSync(origin);
  copySources(origin);
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@example.com', ...args], {
      cwd: origin,
    });
  git('init', '-q');
  git('add', '-A');
  git('commit', '-q', '-m', 'As it stands');
});
afterAll(() => rmSync(work, { recursive: true, force: true, maxRetries: 10 }));

it.each(pages)('every command of %s works as it is printed', async (page, prints) => {
  const home = mkdtempSync(join(work, 'home-'));
  const ports = { 8080: await lastingPort(), 9000: await lastingPort(), 9100: await lastingPort() };
  const withPorts = (text: string) =>
    Object.entries(ports).reduce((all, [printed, port]) => all.replaceAll(`:${printed}`, `:${port}`), text);
  const env = {
    ...surroundings(),
    PATH: `${home}/.npm-global/bin:${process.env['PATH']}`,
    HOME: home,
    // Whatever port is printed may be taken on the machine that tests.
    HANDRAIL_PORT: String(ports[8080]),
    PORT: String(page.endsWith('company.md') ? ports[9100] : ports[9000]),
    npm_config_prefix: `${home}/.npm-global`,
    npm_config_cache: npmConfig('cache'),
    npm_config_userconfig: npmConfig('userconfig'),
    npm_config_prefer_offline: 'true',
    // The address that is printed leads to what would be pushed.
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `url.file://${origin}.insteadOf`,
    GIT_CONFIG_VALUE_0: 'https://github.com/handrail/handrail',
  };
  const folder = join(home, 'empty');
  mkdirSync(folder);
  const terminals: Terminal[] = [openTerminal(folder, env)];
  let printed = '';
  try {
    for (const { language, text } of readBlocks(readFileSync(join(root, page), 'utf8'))) {
      if (language !== 'sh' || Object.hasOwn(elsewhere, text)) continue;
      for (const part of parts(withPorts(text))) {
        const terminal = terminals.at(-1)!;
        if (hasMore.test(part)) {
          const where = await terminal.folder();
          await terminal.serve(part);
          terminals.push(openTerminal(where, env));
        } else {
          printed += await terminal.type(part);
          if (part.startsWith('git clone')) fill(join(folder, 'handrail'), withPorts);
        }
      }
    }
  } finally {
    for (const terminal of terminals.toReversed()) await terminal.close();
  }
  for (const text of prints) expect(printed).toContain(text);
});

it('leaves out only blocks that a page has', () => {
  const printed = pages.flatMap(([page]) =>
    readBlocks(readFileSync(join(root, page), 'utf8')).map(({ text }) => text),
  );
  expect(printed).toEqual(expect.arrayContaining(Object.keys(elsewhere)));
});

/** The variables of this machine that say how the network is reached, and whatever else a login gives. */
function surroundings(): Record<string, string> {
  const ours = /^(?:HANDRAIL_|VITEST|NODE_|TEST$|npm_)/;
  return Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && (!ours.test(entry[0]) || entry[0] === 'NODE_EXTRA_CA_CERTS'),
    ),
  );
}

function npmConfig(name: string): string {
  return execFileSync('npm', ['config', 'get', name], { encoding: 'utf8' }).trim();
}

/** What is typed at once: lines that make a terminal busy stand alone. */
function parts(block: string): string[] {
  const typed: string[] = [];
  for (const line of block.split('\n')) {
    const last = typed.at(-1);
    if (last === undefined || hasMore.test(line) || hasMore.test(last)) typed.push(line);
    else typed[typed.length - 1] = `${last}\n${line}`;
  }
  return typed;
}

/**
 * Saves the minute that the first start takes: what it would install and build is here already. That this works from
 * nothing is what `npm test` and test/suites/dev.sh show.
 */
function fill(clone: string, withPorts: (text: string) => string): void {
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
  for (const built of ['dist', 'web/explorer/dist'])
    cpSync(join(root, built), join(clone, built), { recursive: true });
  const document = join(clone, 'examples/bookshop/openapi.yaml');
  writeFileSync(document, withPorts(readFileSync(document, 'utf8')));
}
