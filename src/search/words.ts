import { stem } from './stem.ts';
import { stopWords } from './stop-words.ts';

const maxWord = 64;

// Runs of letters and digits; an apostrophe inside a word belongs to it.
const runs = /[\p{L}\p{N}\p{M}]+(?:['’][\p{L}]+)*/gu;
// Scripts that put no space between words: what is matched there is each pair of neighbours.
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
const isUnspaced =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const ascii = /^[\x20-\x7e]*$/;
const humps = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
const capital = /\p{Lu}/u;
const possessive = /['’]s$/;

/**
 * The terms of a text in their order: names taken apart at their humps (and kept whole as well), accents folded, endings
 * taken off, scripts without spaces as pairs. With `keepStopWords` words that say nothing stay.
 */
export function termsOf(text: string, keepStopWords = false): string[] {
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

// Accents are spelled in many ways, or left out; in other scripts marks are part of the word.
function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/(?<=[\p{Script=Latin}\p{Script=Greek}])\p{M}+/gu, '')
    .normalize('NFC');
}
