import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { errorCatalog } from '../src/domain/errors.ts';
import { en } from '../web/admin/src/i18n/en.ts';
import { es } from '../web/admin/src/i18n/es.ts';
import { texts } from '../web/explorer/src/page/text-table.ts';
import { type Entry, readParagraphs, readProse } from './support/prose.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

interface Rule {
  /** What to write instead. */
  readonly instead: string;
  readonly pattern: RegExp;
}

const percentWithSpace: Rule = { instead: '20%, without a space', pattern: /[\d}]\s%(?!\s*\d)/ };

// Phrases that read as translated. They are phrases, not words: "tell apart", "there is no" and "stands for" are fine.
const phrases: readonly Rule[] = [
  { instead: 'say, report, show, notify', pattern: /\b(?:is|are|was|were|be|been) told\b/i },
  { instead: 'say, report, show', pattern: /\btells? (?:whether|that|what|how|when|which|where|of)\b/i },
  { instead: 'is, appears, is listed', pattern: /\bstands? (?:here|there|beside|below|above|in (?!for\b))/i },
  {
    instead: 'is not a, is not a valid',
    pattern:
      /(?<!\b(?:there|here|it) )\b(?:is|are|was|were) no\b(?! (?:longer|more|less|fewer|later|other|different)\b)/i,
  },
  { instead: 'the caller, anyone who', pattern: /\bwhoever\b/i },
  { instead: 'someone, anyone, no one, everyone', pattern: /\b(?:somebody|nobody|everybody)\b/i },
  { instead: 'again, start over', pattern: /\banew\b/i },
  { instead: 'raw, verbatim, unchanged', pattern: /\bas (?:it|they) (?:came|comes?)\b/i },
  { instead: 'received, arrived', pattern: /\b(?:has|have) come\b(?! (?:from|to|up)\b)/i },
  { instead: 'try again in', pattern: /\bcomes? again (?:in|later)\b/i },
  {
    instead: 'allow, authenticate, admit',
    pattern: /\b(?:lets? (?:(?:you|us|them|it|clients?|callers?) )?in\b(?!to)|may come in)\b/i,
  },
  {
    instead: 'needs, requires',
    pattern: /\b(?:API|server|gateway|tool|document|schema|client|field|route) wants?\b/i,
  },
  { instead: 'next to, alongside, compared with', pattern: /\bbeside\b(?! besides\b)/i },
  { instead: 'timed out', pattern: /\bin vain\b/i },
  { instead: 'accepted but not finished', pattern: /\bhas only begun\b/i },
  {
    instead: 'continues, next page',
    pattern: /\b(?:how to go on|go on with|(?:goes|went) on)\b/i,
  },
  { instead: 'expired, elapsed', pattern: /\b(?:time|day|hour|minute|lease|session) is over\b/i },
  {
    instead: 'is enforced, is covered',
    pattern: /\b(?:is|are) held by (?:the|a) (?:tests?|linter|compiler)\b/i,
  },
  { instead: 'applies to', pattern: /\bholds for (?:the|all|every)\b/i },
  { instead: 'removed, stored', pattern: /\b(?:taken|put) away\b/i },
  { instead: 'a number, a measurement', pattern: /\b(?:a|one|last|same|these) figures?\b/i },
  { instead: 'stays valid', pattern: /\bworks? on for\b/i },
  {
    instead: 'American spelling',
    pattern: /(?:colou|behaviou|favou|neighbou|honou)r|licence|catalogue|cancelled/i,
  },
  {
    instead: 'American spelling',
    pattern: /(?:serial|recogn|normal|summar|organ|token|minim|maxim)is(?:e|ed|es|er|ers|ing|ation)\b/i,
  },
  percentWithSpace,
];

// Parts of names with a plain English equivalent.
const nameParts: readonly Rule[] = [
  { instead: 'report, show, notify', pattern: /(?:^|[a-z-])(?:tell|told|Tell|Told)(?=[A-Z.-]|$)/ },
  { instead: 'max, min', pattern: /(?:^(?:most|least|longest|shortest)|Most|Least)(?=[A-Z-])/ },
  { instead: 'hasMore, continue', pattern: /goes-?on|(?:^go|Go)On(?=[A-Z]|$)/i },
  { instead: 'Sync, now', pattern: /at-?once/i },
  { instead: 'cancellation', pattern: /hangup/i },
  { instead: 'pass, forward', pattern: /hand-?(?:on|over)(?=[A-Z.-]|$)/ },
  { instead: 'next to', pattern: /beside/i },
  { instead: 'American spelling', pattern: /colour|behaviour|cancelled|normalis|serialis/i },
];

const folders = ['.ci', '.github', 'bench', 'deploy', 'docs', 'examples', 'scripts', 'src', 'test', 'web'];

// Every place with sentences or names. A source is a row here.
const sources: readonly {
  readonly name: string;
  readonly rules: readonly Rule[];
  readonly read: () => readonly Entry[];
}[] = [
  {
    name: 'texts of the admin app',
    rules: phrases,
    read: () =>
      Object.entries(en).flatMap(([key, text]) =>
        (typeof text === 'string' ? [text] : [text.one, text.other]).map((form) => ({
          where: key,
          text: form,
        })),
      ),
  },
  {
    name: 'texts of the explorer',
    rules: phrases,
    read: () => Object.entries(texts).map(([key, [english]]) => ({ where: key, text: english })),
  },
  {
    name: 'Spanish texts',
    rules: [percentWithSpace],
    read: () => [
      ...Object.entries(es).map(([key, text]) => ({ where: key, text: JSON.stringify(text) })),
      ...Object.entries(texts).map(([key, [, spanish]]) => ({ where: key, text: spanish })),
    ],
  },
  {
    name: 'error catalog',
    rules: phrases,
    read: () => Object.entries(errorCatalog).map(([code, { title }]) => ({ where: code, text: title })),
  },
  {
    name: 'comments of the sources',
    rules: phrases,
    read: () => sourceProse().flatMap((prose) => prose.comments),
  },
  {
    name: 'comments of scripts',
    rules: phrases,
    read: () => scriptProse().flatMap((prose) => prose.comments),
  },
  {
    name: 'sentences in src/',
    rules: phrases,
    read: () => sourceProse().flatMap((prose) => prose.sentences),
  },
  {
    name: 'output of scripts',
    rules: phrases,
    read: () => scriptProse().flatMap((prose) => prose.sentences),
  },
  {
    name: 'exported names',
    rules: nameParts,
    read: () => [...sourceProse(), ...scriptProse()].flatMap((prose) => prose.exportedNames),
  },
  {
    name: 'file names',
    rules: nameParts,
    read: () => projectFiles().map((file) => ({ where: file, text: file.split('/').at(-1)! })),
  },
  {
    name: 'documents',
    rules: phrases,
    read: () =>
      projectFiles()
        .filter((file) => file.endsWith('.md'))
        .flatMap((file) => readParagraphs(root, join(root, file))),
  },
  {
    name: 'templates, workflows and deployment files',
    rules: phrases,
    read: () =>
      projectFiles()
        .filter((file) =>
          /^(?:\.github|deploy|\.ci)\/|^(?:Dockerfile|compose\.yaml|examples\/.*\.ya?ml)$/.test(file),
        )
        .filter((file) => !file.endsWith('.md'))
        .flatMap((file) => readParagraphs(root, join(root, file))),
  },
];

const projectFiles = once(() => [...folders.flatMap((folder) => filesBelow(folder)), ...filesIn('.')]);

function filesIn(folder: string): string[] {
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(folder, entry.name));
}

/** The files below a folder, without what is installed, built or recorded from elsewhere. */
function filesBelow(folder: string): string[] {
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  return [
    ...filesIn(folder),
    ...entries
      .filter((entry) => entry.isDirectory() && !/^(?:node_modules|dist|fixtures|cache)$/.test(entry.name))
      .flatMap((entry) => filesBelow(join(folder, entry.name))),
  ];
}

const sourceProse = once(() =>
  projectFiles()
    .filter((file) => /^(?:src|web\/\w+\/src)\/.*\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
    .map((file) => readProse(root, join(root, file))),
);

const scriptProse = once(() =>
  projectFiles()
    .filter((file) => /^(?:bench|scripts|examples|site)\/.*\.[cm]?[jt]s$/.test(file))
    .map((file) => readProse(root, join(root, file))),
);

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}

function violations(entries: readonly Entry[], rules: readonly Rule[]): string[] {
  return entries.flatMap(({ where, text }) =>
    rules.flatMap(({ pattern, instead }) => {
      const found = pattern.exec(text);
      return found === null ? [] : [`${where}: "${found[0]}" in "${text}"; write: ${instead}`];
    }),
  );
}

describe('plain English', () => {
  it.each(sources)('is used in the $name', ({ read, rules }) => {
    const entries = read();
    expect(entries.length).toBeGreaterThan(0);
    expect(violations(entries, rules)).toEqual([]);
  });
});

it('leaves the sentences of errors to the table in src/domain', () => {
  const elsewhere = sourceProse()
    .flatMap((prose) => prose.errorSentences)
    .filter(({ where }) => !where.startsWith('src/domain/'));
  expect(elsewhere).toEqual([]);
});

describe('a source file', () => {
  it('is read for its comments, sentences and exported names', () => {
    const prose = readProse(root, fileURLToPath(import.meta.url));
    const textsOf = (entries: readonly Entry[]) => entries.map(({ text }) => text);
    expect(textsOf(prose.comments)).toContain('Parts of names with a plain English equivalent.');
    expect(textsOf(prose.sentences)).toContain('is read for its comments, sentences and exported names');
    const { exportedNames } = readProse(root, join(root, 'test/support/prose.ts'));
    expect(textsOf(exportedNames)).toEqual(['Entry', 'Prose', 'readProse', 'readParagraphs']);
  });
});

describe('the rules', () => {
  it.each([
    'What stands here is from before',
    'How often an address is told that it may not come in',
    'What is no JSON stays text',
    'Each check is asked anew',
    'Whoever holds it is locked out',
    'Somebody must own the installation',
    'The first call has come',
    'the call waited its turn in vain',
    'Does the API want a key? The API wants a key.',
    'Tools of the server, beside the others',
    'Argument of a list that goes on',
    'Rejects it, whoever asks',
    'Go on with offset 20.',
    'its time is over',
    'What holds for the whole installation',
    'bench, with its last figures',
    'recognised by themselves',
    '95 % within 2 s',
  ])('catch "%s"', (text) => {
    expect(violations([{ where: 'here', text }], phrases)).not.toEqual([]);
  });

  it.each([
    'There is no limit.',
    'The key is no longer valid.',
    'To tell them apart, rename one.',
    'CALL stands for the id of a call.',
    'Sign in to continue.',
    'The file is over the limit of 4 MB.',
    'Changes come from the source.',
    'Tool for everyone, no body needed',
    '95% within 2 s',
  ])('allow "%s"', (text) => {
    expect(violations([{ where: 'here', text }], phrases)).toEqual([]);
  });

  it.each(['tellHowToGoOn', 'mostItems', 'goesOn', 'atOnce', 'as-told.ts', 'hand-on.ts', 'BesideCall'])(
    'catch the name %s',
    (text) => {
      expect(violations([{ where: 'here', text }], nameParts)).not.toEqual([]);
    },
  );

  it.each(['maxItems', 'almostDone', 'handleCall', 'isOpen', 'atOffset'])('allow the name %s', (text) => {
    expect(violations([{ where: 'here', text }], nameParts)).toEqual([]);
  });
});
