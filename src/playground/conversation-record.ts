import type { CallRecord } from '../domain/call.ts';
import { estimateTokens } from '../lib/text/estimate-tokens.ts';
import type { ConversationEnd, ConversationRequest } from './conversation.ts';

const maxRecordedText = 16 * 1024;

/** The record of a conversation, which those of its calls belong to. */
export function makeConversationRecord(
  request: ConversationRequest,
  end: ConversationEnd,
  startedAtMs: number,
  keepContents: boolean,
): CallRecord {
  const { caller, view, surface, model, messages, mode } = request;
  const question = messages.at(-1)?.text ?? '';
  const outcome = end.error?.code ?? (end.reason === 'stopped' ? 'cancelled' : 'ok');
  return {
    id: end.runId,
    parentId: null,
    toolId: null,
    toolName: 'ask_model',
    apiSlug: null,
    serverSlug: view.server.slug,
    surface,
    callerId: caller.id,
    callerLabel: caller.label,
    clientName: 'handrail playground',
    clientVersion: null,
    startedAtMs,
    durationMs: end.durationMs,
    upstreamMs: null,
    upstreamStatus: null,
    outcome,
    message: end.error === null ? null : cut(end.error.message, 1_000),
    tries: end.turns,
    cached: false,
    requestBytes: Buffer.byteLength(question),
    replyBytes: Buffer.byteLength(end.text),
    argumentsText: keepContents
      ? JSON.stringify({ model: model.name, mode, question: cut(question, maxRecordedText) })
      : null,
    replyText: keepContents ? cut(end.text, maxRecordedText) : null,
    requestLine: `POST ${new URL(model.baseUrl).origin}`,
    outputTokens: estimateTokens(end.text),
    steps: [],
    readTokens: null,
    readText: null,
    replyOutline: null,
  };
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max)}…`;
}
