import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkSync } from 'recheck';
import { parseAst } from 'vite';
import { describe, expect, it } from 'vitest';

// What callers, documents and APIs send is read by expressions, and a backtracking one can take hours for a small text.
// Every expression in the sources is therefore linear by its form, or stands below with what bounds it. Patterns that
// documents bring run on RE2.
const root = fileURLToPath(new URL('..', import.meta.url));
const folders = ['src', 'web/explorer/src'];

const bounded: Readonly<Record<string, string>> = {
  'web/explorer/src/schema/pattern.ts /^\\{(\\d+)(,?)(\\d*)\\}/': 'is given at most 40 characters',
};

/** Files that make expressions out of texts, and why that is safe. */
const made: Readonly<Record<string, string>> = {
  'src/code/tools-in-code.ts':
    'from constants of the file; behind a word that has to be there, every repetition is bounded',
  'src/domain/places/operator-places.ts':
    'alternatives at the beginning of a name, each of single characters, from names that an operator wrote',
  'src/lib/secrets/disguises.ts': 'one character class, from ranges of the file',
  'src/lib/secrets/mask-secrets.ts': 'alternatives without any operator, from secrets that are stored here',
  'src/openapi/schemas/pattern.ts': 'asks only whether the pattern can be read; runs it on nothing',
  'web/explorer/src/schema/pattern.ts': 'single character classes, each run on one character',
  'web/explorer/src/server/compile-with-ajv.ts':
    'asks only whether the pattern can be read; runs it on nothing',
};

interface Expression {
  readonly file: string;
  readonly pattern: string;
  readonly flags: string;
}

function expressionsOf(file: string, text: string): { literals: Expression[]; makes: boolean } {
  const literals: Expression[] = [];
  let makes = false;
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (typeof node !== 'object' || node === null) return;
    const { type, regex, callee } = node as {
      type?: string;
      regex?: { pattern: string; flags: string };
      callee?: { name?: string };
    };
    if (type === 'Literal' && regex) literals.push({ file, ...regex });
    if ((type === 'NewExpression' || type === 'CallExpression') && callee?.name === 'RegExp') makes = true;
    Object.values(node).forEach(visit);
  };
  visit(parseAst(text, { lang: 'ts' }));
  return { literals, makes };
}

function sources(): [file: string, text: string][] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !/\.(?:test|d)\.ts$/.test(name))
      .map((name): [string, string] => [`${folder}/${name}`, readFileSync(join(root, folder, name), 'utf8')]),
  );
}

/** What is wrong with an expression, or null when it takes linear time whatever it is given. */
function fault({ pattern, flags }: Pick<Expression, 'pattern' | 'flags'>): string | null {
  const found = checkSync(pattern, flags, { timeout: 240_000 });
  if (found.status !== 'vulnerable' || found.checker !== 'fuzz') return faultOf(found);
  // Found by attacking it, with chance and the clock in it: a proof decides, or what other attacks find.
  const proof = checkSync(pattern, flags, { timeout: 60_000, checker: 'automaton' });
  if (proof.status !== 'unknown') return faultOf(proof);
  const attack = (randomSeed: number) =>
    checkSync(pattern, flags, { timeout: 240_000, checker: 'fuzz', randomSeed });
  return [1, 2, 3].every((seed) => attack(seed).status === 'safe') ? null : faultOf(found);
}

function faultOf(found: ReturnType<typeof checkSync>): string | null {
  if (found.status === 'safe') return null;
  return found.status === 'vulnerable'
    ? found.complexity.summary
    : `could not be checked (${found.error.kind})`;
}

describe('expressions', () => {
  const all = sources().map(([file, text]) => ({ file, ...expressionsOf(file, text) }));
  const faults = new Map<string, string>();
  for (const { file, literals } of all)
    for (const each of literals) {
      const said = fault(each);
      if (said !== null) faults.set(`${file} /${each.pattern}/${each.flags}`, said);
    }

  it('are linear by their form, or bounded', () => {
    expect(all.flatMap(({ literals }) => literals).length).toBeGreaterThan(200);
    expect(Object.fromEntries([...faults].filter(([name]) => !(name in bounded)))).toEqual({});
  });

  it('are listed as bounded only while they are there', () => {
    expect(Object.keys(bounded).filter((name) => !faults.has(name))).toEqual([]);
  });

  it('are made from texts only where that is safe', () => {
    expect(
      all
        .filter(({ makes }) => makes)
        .map(({ file }) => file)
        .toSorted(),
    ).toEqual(Object.keys(made).toSorted());
  });

  it.each(['\\/+$', '([A-Z]+)([A-Z][a-z])', '<!--[^]*?-->', '(a+)+$'])('are refused like /%s/', (pattern) => {
    expect(fault({ pattern, flags: '' })).not.toBeNull();
  });
});
