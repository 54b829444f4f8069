import { RecentValues } from '../lib/weak-cache.ts';

const maxWord = 64;

// Runs of letters and digits; an apostrophe inside a word is part of it.
const runs = /[\p{L}\p{N}\p{M}]+(?:['’][\p{L}]+)*/gu;
// Scripts without spaces between words: adjacent pairs of characters are matched instead.
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
const isUnspaced =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const ascii = /^[\x20-\x7e]*$/;
const humps = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
const capital = /\p{Lu}/u;
const possessive = /['’]s$/;

/**
 * The terms of a text in order: camelCase names split (and also kept whole), accents folded, words stemmed,
 * scripts without spaces as pairs of characters. With `keepStopWords`, stop words stay.
 */
export function termsOf(text: string, keepStopWords = false): readonly string[] {
  // Tools of an API say the same about the same parameters and fields.
  if (text.length > maxRemembered) return readTerms(text, keepStopWords);
  return (keepStopWords ? everyTerm : sayingTerms).of(text, (said) => readTerms(said, keepStopWords));
}

const maxRemembered = 200;
const everyTerm = new RecentValues<string, readonly string[]>(2_000);
const sayingTerms = new RecentValues<string, readonly string[]>(2_000);

function readTerms(text: string, keepStopWords: boolean): readonly string[] {
  const terms: string[] = [];
  const folded = ascii.test(text) ? text : fold(text);
  for (const [run] of folded.matchAll(runs)) {
    for (const [piece] of ascii.test(run) ? [[run]] : run.matchAll(unspaced)) {
      if (isUnspaced.test(piece)) addPairs(piece, terms);
      else addWord(piece, terms, keepStopWords);
    }
  }
  return terms;
}

function addWord(run: string, terms: string[], keepStopWords: boolean): void {
  const word = run.replace(possessive, '').slice(0, maxWord);
  const parts = capital.test(word) ? word.split(humps) : [word];
  for (const part of parts) addTerm(part.toLowerCase(), terms, keepStopWords);
  if (parts.length > 1) addTerm(word.toLowerCase(), terms, keepStopWords);
}

function addTerm(word: string, terms: string[], keepStopWords: boolean): void {
  if (word === '' || (!keepStopWords && stopWords.has(word))) return;
  terms.push(stem(word));
}

function addPairs(run: string, terms: string[]): void {
  const characters = [...run].slice(0, 400);
  if (characters.length === 1) terms.push(run);
  for (let at = 0; at + 1 < characters.length; at++) terms.push(characters[at]! + characters[at + 1]!);
}

// Accents are spelled in different ways or left out; in other scripts, marks are part of the word.
function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/(?<=[\p{Script=Latin}\p{Script=Greek}])\p{M}+/gu, '')
    .normalize('NFC');
}

/**
 * Stop words, which say nothing about which operation is meant: English function words, and phrases people and
 * models use for requests. Verbs that name an action (get, list, create) are not stop words.
 */
const text = `
a an the this that these those such same other another each every either neither both all any some few several many much more
most less least own no none nor not only just even very too so quite rather really almost also
i me my mine myself we us our ours ourselves you your yours yourself he him his she her hers it its itself they them their theirs
one ones someone anyone everyone something anything everything nothing who whom whose which what whatever when whenever where
wherever why how however
am is are was were be been being do does did doing done have has had having can could may might must shall should will would
cannot can't couldn't don't doesn't didn't isn't aren't wasn't weren't won't wouldn't shouldn't i'm i'd i've i'll it's that's
there's here's what's who's let's you're we're they're
and or but if then else than because while until unless although though since as whether
of at by for with about against between among into onto through during before after above below to from up down in out on off over
under again further once here there per via within without upon toward towards across along around behind beside besides beyond
despite except like near regarding concerning
please thanks thank hello hi hey kindly
want wants wanted need needs needed wish wishes wishing like likes liked would love help helps helping helped
tell tells telling told give gives giving gave given provide provides providing provided let lets know knows knowing knew
try tries trying tried ask asks asking asked show me
able possible possibly maybe perhaps probably certain certainly sure
additionally moreover furthermore finally lastly firstly secondly also well together instead otherwise therefore thus hence
currently actually basically simply exactly especially particularly specifically generally usually often always never sometimes
good great best better nice interesting interested curious excited planning plan looking look
using use uses used make makes making made take takes taking took taken go goes going went come comes coming came
thing things stuff kind kinds sort lot lots bit way ways case cases
etc eg ie vs
im ive id ill dont doesnt didnt isnt arent cant couldnt wont wouldnt shouldnt
s t d ll re ve m
`;

const stopWords: ReadonlySet<string> = new Set(text.split(/\s+/).filter((word) => word !== ''));

const vowel = /[aeiouy]/;

/**
 * Strips the usual endings of an English word, so that `movies` matches `movie` and `created` matches `create`.
 * Deliberately light.
 */
export function stem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  return withoutLastVowel(withoutVerbEnding(withoutPlural(word)));
}

function withoutPlural(word: string): string {
  if (!word.endsWith('s') || /(?:ss|us|is)$/.test(word)) return word;
  return /(?:sses|xes|ches|shes|zes)$/.test(word) ? word.slice(0, -2) : word.slice(0, -1);
}

function withoutVerbEnding(word: string): string {
  const ending = word.endsWith('ing') ? 3 : word.endsWith('ed') ? 2 : 0;
  if (ending === 0 || word.length - ending < 3) return word;
  const root = word.slice(0, -ending);
  if (!vowel.test(root) || root.endsWith('e')) return word;
  return /([bdgmnprt])\1$/.test(root) ? root.slice(0, -1) : root;
}

// `city` and `cities`, `copy` and `copied`, `create` and `creating` differ in their final letters.
function withoutLastVowel(word: string): string {
  if (word.length < 4) return word;
  if (word.endsWith('e')) return word.slice(0, -1);
  return /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}i` : word;
}

const shortest = 4;
const letters = 'abcdefghijklmnopqrstuvwxyz';

/** The known terms within one edit of an unknown word: a letter missing, added, replaced, or two swapped. */
export function spellings(word: string, known: ReadonlyMap<string, number>): number[] {
  if (word.length < shortest || word.length > 24 || !/^[a-z]+$/.test(word)) return [];
  const found = new Set<number>();
  const look = (candidate: string) => {
    const id = known.get(candidate);
    if (id !== undefined) found.add(id);
  };
  for (let at = 0; at <= word.length; at++) {
    const before = word.slice(0, at);
    const after = word.slice(at);
    if (after !== '') look(before + after.slice(1));
    if (after.length > 1) look(before + after[1]! + after[0]! + after.slice(2));
    for (const letter of letters) {
      if (after !== '') look(before + letter + after.slice(1));
      look(before + letter + after);
    }
  }
  return [...found];
}
