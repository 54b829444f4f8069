import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { en } from '../web/admin/src/i18n/en.ts';
import { texts } from '../web/explorer/src/page/text-table.ts';
import { sourceFiles } from './support/imports.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** A sentence, comment or name, and where it is. */
interface Entry {
  readonly where: string;
  readonly text: string;
}

interface Rule {
  /** What to write instead. */
  readonly instead: string;
  readonly pattern: RegExp;
}

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
  { instead: 'the caller, anyone who', pattern: /\bwhoever \w+s\b/i },
  {
    instead: 'someone, anyone, no one',
    pattern: /\b(?:somebody|nobody) (?:is|was|has|must|may|can|could|else|who|\w+s)\b/i,
  },
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
  { instead: 'next to, alongside', pattern: /\bbeside (?:it|its|them|the|their|this|that|each|an?|one)\b/i },
  { instead: 'timed out', pattern: /\bin vain\b/i },
  { instead: 'accepted but not finished', pattern: /\bhas only begun\b/i },
  {
    instead: 'continues, next page',
    pattern: /\b(?:how to go on|(?:list|page|call|reply|model|it|that) (?:goes|went) on)\b/i,
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
  { instead: '20%, without a space', pattern: /\d\s%/ },
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
  { name: 'comments in web/', rules: phrases, read: () => webFiles().flatMap(commentsIn) },
  { name: 'exported names in web/', rules: nameParts, read: () => webFiles().flatMap(exportsOf) },
  {
    name: 'file names in web/',
    rules: nameParts,
    read: () => webFiles().map((file) => ({ where: relative(root, file), text: file.split('/').at(-1)! })),
  },
];

const webFiles = (): string[] =>
  ['web/admin/src', 'web/explorer/src'].flatMap((folder) => sourceFiles(join(root, folder)));

/** The comments of a file, each as one line. */
function commentsIn(file: string): Entry[] {
  const comments = readFileSync(file, 'utf8').matchAll(
    /^\s*(?:\/\*\*?([\s\S]*?)\*\/|((?:\s*\/\/[^\n]*\n)+))/gm,
  );
  return [...comments].map(([, block, lines]) => ({
    where: relative(root, file),
    text: (block ?? lines!).replace(/\s*\n\s*(?:\*|\/\/)?\s*/g, ' ').trim(),
  }));
}

function exportsOf(file: string): Entry[] {
  const names = readFileSync(file, 'utf8').matchAll(
    /^export (?:default )?(?:async )?(?:const|let|function|class|interface|type) (\w+)/gm,
  );
  return [...names].map(([, name]) => ({ where: relative(root, file), text: name! }));
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
