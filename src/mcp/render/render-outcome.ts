import { parseMarked } from '../../lib/json/numbers/exact-numbers.ts';
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { HandrailError } from '../../domain/errors.ts';
import { waitText } from '../../pipeline/reply/errors/retry-after.ts';
import { waitingText } from '../../domain/waiting.ts';
import type { CompiledTool, Outcome } from '../../pipeline/types.ts';
import type { Server } from '../../domain/server.ts';

/** A failed call in words for the model: what went wrong, where, and what to do about it. */
function failureText(error: HandrailError): string {
  const lines = [error.message];
  for (const problem of error.details.problems ?? []) {
    const line = `${problem.path || '/'}: ${problem.message}`;
    if (!error.message.includes(problem.message)) lines.push(`- ${line}`);
  }
  const advice = adviceFor(error);
  if (advice) lines.push(advice);
  return lines.join('\n');
}

const notYours =
  'Calling again will not help: tell the user that the operator of this gateway has to fix its configuration.';

function adviceFor(error: HandrailError): string {
  // What the API's own error means is told where it is made.
  if (error.code === 'upstream_status') return '';
  if (error.details.retryAfterMs !== undefined) {
    return `Wait ${waitText(error.details.retryAfterMs)} before calling again.`;
  }
  switch (error.fault) {
    case 'caller':
      return error.retry === 'after-change' ? 'Correct the arguments and call again.' : '';
    case 'configuration':
      return notYours;
    case 'upstream':
      if (error.retry === 'later') return 'This may pass: call again later, or tell the user.';
      return error.code === 'upstream_unreachable' ? notYours : '';
    case 'handrail':
      return 'Call again later; if it stays like this, tell the user.';
  }
}

/**
 * Why a call has no result. One that waits is no failure, but a client must not take its answer for the API's: so it is
 * told like one.
 */
export function noResultText(outcome: Exclude<Outcome, { readonly kind: 'done' }>): string {
  switch (outcome.kind) {
    case 'failed':
      return failureText(outcome.error);
    case 'waiting':
      return waitingText(outcome.waiting);
  }
}

/** What a model reads when the API sent nothing: some models' interfaces refuse a conversation with an empty text. */
export const nothingSent = 'The call succeeded; the API sent nothing back.';

/**
 * The outcome of a call as a `tools/call` result; failures are results too, so that the model can mend its call.
 * `promised` says that the list shows what the result looks like; `hint` stands behind what went wrong.
 */
export function outcomeResult(outcome: Outcome, promised: boolean, hint = ''): CallToolResult {
  if (outcome.kind !== 'done')
    return { content: [{ type: 'text', text: noResultText(outcome) + hint }], isError: true };
  const { content, structuredText } = outcome.output;
  const result: CallToolResult = {
    content: content.map((part) =>
      part.type === 'text' && part.text === '' ? { ...part, text: nothingSent } : { ...part },
    ),
  };
  // Clients fail a call whose result has no structure when its tool promised one; advertised schemas let `{}` pass.
  if (structuredText !== null) result.structuredContent = parseMarked(structuredText);
  else if (promised) result.structuredContent = {};
  return result;
}

/** The outcome for a client that knows no links to resources: their addresses are in the words as well. */
export function withoutLinks(outcome: Outcome): Outcome {
  if (outcome.kind !== 'done' || !outcome.output.content.some(({ type }) => type === 'resource_link'))
    return outcome;
  const content = outcome.output.content.filter(({ type }) => type !== 'resource_link');
  return { ...outcome, output: { ...outcome.output, content } };
}

/** Whether the list of a server shows what a tool's result looks like. */
export function promisesStructure(server: Server, tool: CompiledTool): boolean {
  return server.listOutputSchemas === true && tool.outputSchema !== null;
}
