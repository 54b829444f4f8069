import type { FollowUp } from '../../domain/pages/follow-up.ts';
import { counted } from '../../lib/text/amounts.ts';
import { cleanText } from '../../pipeline/reply/clean-text.ts';
import type { PageStep } from './next-step.ts';

/** Why no further page was requested. */
export type WalkEnd =
  | { readonly why: 'end' | 'silent' | 'loop' | 'repeats' }
  | { readonly why: 'items' | 'bytes' | 'pages' | 'time' | 'empty' | 'gone'; readonly step: PageStep }
  | { readonly why: 'failed'; readonly step: PageStep; readonly said: string }
  | { readonly why: 'lost' | 'refused'; readonly said: string };

/** The result of gathering the pages. */
export interface Gathered {
  readonly records: number;
  readonly repeated: number;
  readonly pages: number;
  readonly total: number | null;
  readonly prefix: FollowUp['prefix'];
}

// Notes are kept with a long reply only while they are short.
const maxNoteLength = 290;

/** Says how many records were gathered, why that is not all of them, and how to continue. */
export function endNotes(end: WalkEnd, gathered: Gathered): readonly string[] {
  const { records, repeated, total } = gathered;
  const pages = counted(gathered.pages, 'page');
  const had = `${counted(records, 'record')} of ${pages}`;
  const said = [
    end.why === 'end' ? `[All ${had}.` : `[${had}: ${whyText(end, gathered)}.`,
    ...(repeated > 0 ? [`${counted(repeated, 'repeated record')} left out.`] : []),
    ...(total !== null && total !== records && end.why !== 'items' ? [`The API reports ${total}.`] : []),
    ...continuationHint(end),
  ].join(' ');
  return [`${said.slice(0, maxNoteLength)}]`];
}

function whyText(end: WalkEnd, { prefix }: Gathered): string {
  switch (end.why) {
    case 'end':
      return 'all';
    case 'silent':
      return 'the reply does not say whether there are more';
    case 'loop':
      return 'the API led back to an earlier page, so no other was requested';
    case 'repeats':
      return 'the API kept sending records already received, so no other page was requested';
    case 'items':
      return `not all: that is the maximum requested, or the maximum for one call${maxText(prefix)}`;
    case 'bytes':
      return 'not all: the size limit for one call was reached';
    case 'pages':
      return 'not all: the page limit for one call was reached';
    case 'time':
      return 'not all: the time limit for one call was reached';
    case 'empty':
      return 'possibly not all: too many empty pages in a row';
    case 'gone':
      return 'not all: the caller disconnected';
    case 'failed':
      return `not all: the next page failed (${short(end.said)})`;
    case 'lost':
      return `possibly not all: ${short(end.said)}`;
    case 'refused':
      return `not all: the address of the next page was not followed, because ${short(end.said)}`;
  }
}

function maxText(prefix: FollowUp['prefix']): string {
  if (prefix === null) return '';
  return prefix === '--' ? ' (--max-items)' : ` (${prefix}max_items)`;
}

function continuationHint(end: WalkEnd): readonly string[] {
  if (!('step' in end) || end.step.changed === null) return [];
  const text = JSON.stringify(end.step.changed);
  return text === '{}' || text.length > 100 ? [] : [`To continue, call with ${text}.`];
}

function short(text: string): string {
  const [line = ''] = cleanText(text).split('\n', 1);
  return line.length <= 120 ? line.replace(/\.$/, '') : `${line.slice(0, 119)}…`;
}
