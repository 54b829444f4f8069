import type { CallToolResult } from '@modelcontextprotocol/server';
import { callText, readableResult } from '../../code/call-text.ts';
import type { CodeRequest, CodeRun } from '../../code/code-runs.ts';
import { wrapUntrusted } from '../../pipeline/reply/untrusted-text.ts';
import { linePlaces } from '../../replies/reading/places.ts';
import { previewText } from '../../replies/reading/preview.ts';
import type { ReplyBudget } from '../../replies/reply-budget.ts';

/** Runs a script; the first run loads what that needs. */
export type RunCode = (request: CodeRequest) => Promise<CodeRun>;

// The maximum share of notes in what a model may read.
const maxNoteShare = 0.25;
const minTokens = 1_000;

/** What a model reads of a run: what the script returned, or why it failed, what it printed and what it did. */
export async function runResult(budget: ReplyBudget, run: CodeRun): Promise<CallToolResult> {
  const { end, request, untrusted } = run;
  const { server } = request.view;
  const room = budget.tokensOn(server) || Infinity;
  const isWrapped = untrusted.length > 0;
  const wrap = (text: string) => (isWrapped ? wrapUntrusted(text, untrusted.join(', ')) : text);
  const notes = noteText(run, room, wrap);
  const shown = run.shown.map((text) => ({
    type: 'text' as const,
    text,
    annotations: { audience: ['user' as const] },
  }));
  if (end.kind === 'failed') {
    const where = end.line === undefined ? '' : ` at line ${end.line}`;
    const text = [`The script failed${where}: ${wrap(cut(end.message, room))}`, callText(run.calls), notes];
    return {
      content: [{ type: 'text', text: text.filter((part) => part !== '').join('\n') }, ...shown],
      isError: true,
    };
  }
  const origin = {
    server,
    callerId: request.caller.id,
    callId: run.id,
    toolIds: [...new Set(run.calls.map(({ toolId }) => toolId))],
    apis: untrusted.join(', '),
    isWrapped,
  };
  const { text, mediaType } = readableResult(end.text);
  const content = await budget.fitText(origin, text, mediaType);
  return {
    content: [
      ...content.map((part) => ({ ...part })),
      ...run.images.map((image) => ({ ...image })),
      ...(notes === '' ? [] : [{ type: 'text' as const, text: notes }]),
      ...shown,
    ],
  };
}

function noteText({ printed }: CodeRun, room: number, wrap: (text: string) => string): string {
  if (printed.length === 0) return '';
  const max = Number.isFinite(room) ? Math.max(100, Math.floor(room * maxNoteShare)) : Infinity;
  return `Printed:\n${wrap(cut(printed.join('\n'), max))}`;
}

function cut(text: string, tokens: number): string {
  return text.length <= tokens || !Number.isFinite(tokens)
    ? text
    : previewText(text, linePlaces(text).total, Math.max(tokens, minTokens)).text;
}
