import { HandrailError } from '../domain/errors.ts';
import { wrapUntrusted } from '../pipeline/reply/untrusted-text.ts';
import type { Output } from '../pipeline/types.ts';
import { callText } from './call-text.ts';
import type { Executed } from './executed.ts';
import { readableResult } from './result-text.ts';

/** What a script that is called as a tool gives: what it returned, then what it printed. Throws where it failed. */
export function savedOutput(toolName: string, { end, printed, calls, untrusted }: Executed): Output {
  const wrap = (text: string) => (untrusted.length > 0 ? wrapUntrusted(text, untrusted.join(', ')) : text);
  const notes = printed.length === 0 ? '' : `Printed:\n${wrap(printed.join('\n'))}`;
  if (end.kind === 'failed') {
    const where = end.line === undefined ? '' : ` in line ${end.line}`;
    const told = [`The script of "${toolName}" failed${where}: ${wrap(end.message)}`, callText(calls), notes];
    const hasChangedNothing = calls.every(({ kind }) => kind === 'read');
    throw new HandrailError(end.code, told.filter((part) => part !== '').join('\n'), {
      ...(hasChangedNothing && { notSent: true }),
    });
  }
  const { text } = readableResult(end.text);
  return {
    content: [
      { type: 'text', text: wrap(text) },
      ...(notes === '' ? [] : [{ type: 'text' as const, text: notes }]),
    ],
    structuredText: null,
    whole: () => ({
      kind: 'text',
      ...(end.text === '' ? { text: 'null', mediaType: 'application/json' } : readableResult(end.text)),
      name: 'result.json',
    }),
  };
}
