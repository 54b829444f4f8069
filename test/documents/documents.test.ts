import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'vite';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { UsageError } from '../../src/cli/command.ts';
import { isDocument } from '../../src/cli/document-word.ts';
import { commands } from '../../src/cli/commands.ts';
import { readInput } from '../../src/cli/run.ts';
import { version } from '../../src/version.ts';
import { readBlocks } from './read-blocks.ts';
import { readCommands } from './read-commands.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const markdownIn = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !/node_modules|dist/.test(name))
    .map((name) => join(folder, name));

/** Pages that people read and type from. */
const pages = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...['docs', 'examples', 'deploy'].filter((name) => existsSync(join(root, name))).flatMap(markdownIn),
].sort();
const read = (page: string) => readFileSync(join(root, page), 'utf8');
const blocksOf = (page: string, language: string) =>
  readBlocks(read(page)).filter((block) => block.language === language);
const withBlocks = (language: string) => pages.filter((page) => blocksOf(page, language).length > 0);

describe('what the documents print', () => {
  it.each(withBlocks('json'))('is JSON where it says so: %s', (page) => {
    for (const { text, line } of blocksOf(page, 'json'))
      expect(() => void JSON.parse(text), `${page}:${line}`).not.toThrow();
  });

  it.each(withBlocks('yaml'))('is YAML where it says so: %s', (page) => {
    for (const { text, line } of blocksOf(page, 'yaml'))
      expect(
        parseAllDocuments(text).flatMap((document) => document.errors),
        `${page}:${line}`,
      ).toEqual([]);
  });

  it.each(withBlocks('python'))('is Python where it says so: %s', (page) => {
    const compile = 'import ast, sys; ast.parse(sys.stdin.read())';
    const wrong = blocksOf(page, 'python').flatMap(({ text, line }) => {
      const compiled = spawnSync('python3', ['-c', compile], { input: text, encoding: 'utf8' });
      // A machine that has no Python cannot say.
      return compiled.error !== undefined || compiled.status === 0
        ? []
        : [`${page}:${line}: ${compiled.stderr}`];
    });
    expect(wrong).toEqual([]);
  });

  it.each(withBlocks('ts'))('is TypeScript where it says so: %s', (page) => {
    // A module, or a script that a function is made of.
    const isRead = (text: string) =>
      [text, `async () => {\n${text}\n};`].some((code) => parseSync('block.ts', code).errors.length === 0);
    const wrong = blocksOf(page, 'ts').filter(({ text }) => !isRead(text));
    expect(wrong).toEqual([]);
    expect(isRead('const = 1;')).toBe(false);
  });

  it('shows agents that are run', () => {
    const examples = readdirSync(join(root, 'examples/agents')).filter((name) => name.endsWith('.ts'));
    const run = examples.map((name) => read(join('examples/agents', name)));
    const shown = blocksOf('docs/start/agent.md', 'ts');
    expect(shown.filter(({ text }) => !run.some((example) => example.includes(text)))).toEqual([]);
    expect(shown.length).toBeGreaterThan(0);
  });

  it.each(withBlocks('sh'))('is a script that a shell reads: %s', (page) => {
    for (const { text, line } of blocksOf(page, 'sh')) {
      const { stderr, status } = spawnSync('bash', ['-n'], { input: text, encoding: 'utf8' });
      expect(status, `${page}:${line}: ${stderr}`).toBe(0);
    }
  });

  it.each(withBlocks('sh'))('has only commands and options that there are: %s', async (page) => {
    const refused: string[] = [];
    for (const { text, line } of blocksOf(page, 'sh'))
      for (const [program, ...words] of readCommands(text))
        if (program === 'handrail' && !(await isCommand(words)))
          refused.push(`${page}:${line}: ${words.join(' ')}`);
    expect(refused).toEqual([]);
  });

  it('leads to files that are there', () => {
    const dead = pages.flatMap((page) =>
      linksIn(read(page))
        .filter((target) => !existsSync(join(root, dirname(page), target)))
        .map((target) => `${page}: ${target}`),
    );
    expect(dead).toEqual([]);
  });

  it('tells nobody to run the name of a package that is on no registry', () => {
    const sources = [
      ...pages,
      ...['src', 'web/admin/src', 'web/explorer/src', 'deploy', 'examples'].flatMap((folder) =>
        readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
          .map((entry) => relative(root, join(entry.parentPath, entry.name))),
      ),
    ];
    expect(sources.filter((file) => runsFromRegistry(read(file)))).toEqual([]);
    for (const text of [
      'npx handrail serve',
      'npm i -g handrail',
      'npx --yes handrail@latest',
      'bunx handrail',
    ])
      expect(runsFromRegistry(text), text).toBe(true);
    expect(runsFromRegistry('npx ./release/handrail-0.1.0.tgz serve')).toBe(false);
  });

  it('names the tarball that this version makes', () => {
    const named = [...read('README.md').matchAll(/handrail-(\d[\w.-]*)\.tgz/g)].map((match) => match[1]);
    expect(new Set(named)).toEqual(new Set([version]));
  });
});

describe('reading a script', () => {
  it.each([
    ['handrail call a --arg b="c d" # why', [['handrail', 'call', 'a', '--arg', 'b=c d']]],
    [
      'A=1 handrail serve &&\n  handrail x \\\n    --y',
      [
        ['handrail', 'serve'],
        ['handrail', 'x', '--y'],
      ],
    ],
    [
      'k=$(handrail keys --json | node -p 1)',
      [
        ['handrail', 'keys', '--json'],
        ['node', '-p', '1'],
      ],
    ],
    ['for a in b; do handrail c "$a"; done', [['for', 'a', 'in', 'b'], ['handrail', 'c', '$a'], ['done']]],
  ])('%s', (script, expected) => {
    expect(readCommands(script)).toEqual(expected);
  });
});

/** Whether the command line takes these words. */
async function isCommand([name = '', ...args]: string[]): Promise<boolean> {
  if (name === '--version' || name === '--help') return true;
  if (!Object.hasOwn(commands, name) && isDocument(name)) return isCommand(['open', name, ...args]);
  if (!Object.hasOwn(commands, name)) return false;
  const command = await commands[name]!();
  const silent = () => undefined;
  try {
    readInput(command, args, {}, silent, silent);
    return true;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return false;
  }
}

/** Targets of relative links, without what follows `#`. */
function linksIn(markdown: string): string[] {
  const prose = markdown
    .split('```')
    .filter((_, index) => index % 2 === 0)
    .join('');
  return [...prose.matchAll(/\]\(([^()\s]+)\)/g)]
    .map((match) => match[1]!.split('#', 1)[0]!)
    .filter((target) => target !== '' && !/^[a-z]+:/.test(target));
}

function runsFromRegistry(text: string): boolean {
  return /\b(?:npx|bunx|pnpm dlx|yarn dlx|npm exec|npm i|npm install)(?: -{1,2}[\w-]+)* handrail(?:@|\s|$)/m.test(
    text,
  );
}
