import type { FollowUp } from '../../domain/pages/follow-up.ts';
import { counted } from '../../lib/text/amounts.ts';
import { cleanText } from '../../pipeline/reply/clean-text.ts';
import type { PageStep } from './next-step.ts';

/** Why no further page was asked for. */
export type WalkEnd =
  | { readonly why: 'end' | 'silent' | 'loop' | 'repeats' }
  | { readonly why: 'items' | 'bytes' | 'pages' | 'time' | 'empty' | 'gone'; readonly step: PageStep }
  | { readonly why: 'failed'; readonly step: PageStep; readonly said: string }
  | { readonly why: 'lost' | 'refused'; readonly said: string };

/** What came of the pages. */
export interface Gathered {
  readonly records: number;
  readonly repeated: number;
  readonly pages: number;
  readonly total: number | null;
  readonly prefix: FollowUp['prefix'];
}

// What stands beside a long reply stays there only as long as it is short itself.
const longest = 290;

/** Tells whoever called what it has, why that is not all, and how to go on. */
export function endNotes(end: WalkEnd, gathered: Gathered): readonly string[] {
  const { records, repeated, total } = gathered;
  const pages = counted(gathered.pages, 'page');
  const had = `${counted(records, 'record')} of ${pages}`;
  const said = [
    end.why === 'end' ? `[All ${had}.` : `[${had}: ${whyText(end, gathered)}.`,
    ...(repeated > 0 ? [`${counted(repeated, 'record')} that had come before left out.`] : []),
    ...(total !== null && total !== records && end.why !== 'items' ? [`The API speaks of ${total}.`] : []),
    ...goOn(end),
  ].join(' ');
  return [`${said.slice(0, longest)}]`];
}

function whyText(end: WalkEnd, { prefix }: Gathered): string {
  switch (end.why) {
    case 'end':
      return 'all';
    case 'silent':
      return 'nothing in the reply tells whether there are more';
    case 'loop':
      return 'the API led back to a page that had come already, so no other was asked for';
    case 'repeats':
      return 'the API went on to send what had come already, so no other page was asked for';
    case 'items':
      return `not all: that is the most that was asked for, or that one call gathers${maxText(prefix)}`;
    case 'bytes':
      return 'not all: one call gathers no more bytes';
    case 'pages':
      return 'not all: one call gathers no more pages';
    case 'time':
      return 'not all: the time for one call was over';
    case 'empty':
      return 'perhaps not all: one page after the other was empty';
    case 'gone':
      return 'not all: the caller went away';
    case 'failed':
      return `not all: the next page failed (${short(end.said)})`;
    case 'lost':
      return `perhaps not all: ${short(end.said)}`;
    case 'refused':
      return `not all: the address of the next page was not followed, because ${short(end.said)}`;
  }
}

function maxText(prefix: FollowUp['prefix']): string {
  if (prefix === null) return '';
  return prefix === '--' ? ' (--max-items)' : ` (${prefix}max_items)`;
}

function goOn(end: WalkEnd): readonly string[] {
  if (!('step' in end) || end.step.changed === null) return [];
  const text = JSON.stringify(end.step.changed);
  return text === '{}' || text.length > 100 ? [] : [`To go on, call with ${text}.`];
}

function short(text: string): string {
  const [line = ''] = cleanText(text).split('\n', 1);
  return line.length <= 120 ? line.replace(/\.$/, '') : `${line.slice(0, 119)}…`;
}
