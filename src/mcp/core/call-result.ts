import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import type { Server } from '../../domain/server.ts';
import { parseMarked } from '../../lib/json/numbers/exact-numbers.ts';
import { noResultText } from '../../pipeline/reply/errors/no-result-text.ts';
import type { CompiledTool } from '../../pipeline/compiled-tool.ts';
import type { Content, Output } from '../../pipeline/reply/reply.ts';
import { structureOfText, withStructuredNotes } from '../../pipeline/reply/structured-notes.ts';
import type { Outcome } from '../../pipeline/call.ts';

// The only module that builds the result of a `tools/call`: as an object, or as JSON text around the reply's own
// bytes.

/** The outcome of a `tools/call`, before a transport writes it. */
export type ToolResult =
  | { readonly given: CallToolResult }
  /** The client is asked for something first, and then calls again. */
  | { readonly asks: InputRequiredResult }
  | {
      readonly outcome: Outcome;
      /** Whether the list promises structured content for this tool. */
      readonly promised: boolean;
      /** Appended to the text of a failure. */
      readonly hint: string;
    };

/** JSON text: whole, or in pieces if most of it is already bytes. */
export type Written = string | readonly (string | Buffer)[];

/** The result as an object; failures are results too, so that the model can correct its call. */
export function resultObject(result: ToolResult): CallToolResult | InputRequiredResult {
  if ('given' in result) return result.given;
  if ('asks' in result) return result.asks;
  const { outcome, promised, hint } = result;
  if (outcome.kind !== 'done')
    return {
      content: [{ type: 'text', text: noResultText(outcome) + hint }],
      ...failureData(outcome),
      isError: true,
    };
  const { content } = outcome.output;
  const structured = structuredTextOf(outcome.output, promised);
  const structure = structured === null ? undefined : parseMarked(structured);
  return {
    content: content.map((part) =>
      part.type === 'text' && part.text === '' ? { ...part, text: nothingSent } : { ...part },
    ),
    ...(structure !== undefined && { structuredContent: structure }),
  };
}

/**
 * The same result as JSON text. `stamp` contains the members that the era adds to every result; `escaped` returns the
 * first text as escaped bytes if they are available, which saves converting them to a string.
 */
export function resultText(
  result: ToolResult,
  stamp: string,
  escaped: (first: Content) => readonly Buffer[] | null = () => null,
): Written {
  if ('given' in result) return `${JSON.stringify(result.given).slice(0, -1)}${stamp}}`;
  if ('asks' in result) {
    const said = stamp.replace(',"resultType":"complete"', '');
    return `${JSON.stringify(result.asks).slice(0, -1)}${said}}`;
  }
  const { outcome, promised, hint } = result;
  if (outcome.kind !== 'done') {
    const data = JSON.stringify(failureData(outcome)).slice(1, -1);
    return `{"content":[{"type":"text","text":${JSON.stringify(noResultText(outcome) + hint)}}],${data === '' ? '' : `${data},`}"isError":true${stamp}}`;
  }
  const { content } = outcome.output;
  const structured = structuredTextOf(outcome.output, promised);
  const structure = structured === null ? '' : `,"structuredContent":${structured}`;
  const [first] = content;
  const bytes = first === undefined ? null : escaped(first);
  if (bytes !== null) {
    const others = content.length === 1 ? '' : `,${content.slice(1).map(contentText).join()}`;
    return ['{"content":[{"type":"text","text":"', ...bytes, `"}${others}]${structure}${stamp}}`];
  }
  const parts = content.length === 1 ? contentText(first!) : content.map(contentText).join();
  return `{"content":[${parts}]${structure}${stamp}}`;
}

/** What a program can read of a failure: where a person connects their own account. */
function failureData(outcome: Outcome): { readonly structuredContent?: Record<string, unknown> } {
  const connect = outcome.kind === 'failed' ? outcome.error.details.connect : undefined;
  if (outcome.kind !== 'failed' || connect === undefined) return {};
  return { structuredContent: { error: outcome.error.code, api: connect.api, connectUrl: connect.url } };
}

/**
 * The structured content of a reply, with the notes of its text. Clients fail a call without any if its tool promised
 * some; the advertised schemas accept every object.
 */
function structuredTextOf({ content, structuredText }: Output, promised: boolean): string | null {
  if (structuredText === null) return promised ? structureOfText(content.map(wordsOf).join('\n')) : null;
  // The reply itself is in the structure, and so is everything about a reply that is kept.
  if (content.length === 1 || structuredText.startsWith('{"handle":')) return structuredText;
  return withStructuredNotes(
    structuredText,
    content
      .slice(1)
      .map(wordsOf)
      .filter((text) => text !== ''),
  );
}

function wordsOf(part: Content): string {
  return part.type === 'text' ? part.text || nothingSent : '';
}

function contentText(part: Content): string {
  return part.type === 'text'
    ? `{"type":"text","text":${JSON.stringify(part.text || nothingSent)}}`
    : JSON.stringify(part);
}

/** What a model reads if the API sent nothing: some model APIs reject a conversation with an empty text. */
const nothingSent = 'The call succeeded; the API sent nothing back.';

/** The outcome for a client that doesn't support resource links: the text has their URLs as well. */
export function withoutLinks(outcome: Outcome): Outcome {
  if (outcome.kind !== 'done' || !outcome.output.content.some(({ type }) => type === 'resource_link'))
    return outcome;
  const content = outcome.output.content.filter(({ type }) => type !== 'resource_link');
  return { ...outcome, output: { ...outcome.output, content } };
}

/** Whether a server lists the output schema of a tool. */
export function promisesStructure(server: Server, tool: CompiledTool): boolean {
  return server.listOutputSchemas === true && tool.outputSchema !== null;
}
