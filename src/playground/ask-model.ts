import { playgroundErrors } from '../domain/error-messages/playground.ts';
import { HandrailError } from '../domain/errors.ts';
import type { Model, ModelProtocol } from '../domain/models/model.ts';
import { objectOr, textOr } from '../lib/json/plain-object.ts';
import { tidyText } from '../lib/text/tidy-text.ts';
import type { FetchGuarded, OutboundReply } from '../upstream/fetch-guarded.ts';
import { createMaskStream } from './mask-stream.ts';
import type { Answer, Protocol, Turn } from './messages.ts';
import { anthropic } from './protocols/anthropic.ts';
import { answerAsDemo } from './protocols/demo.ts';
import { openai } from './protocols/openai.ts';
import { unreadableAnswerError } from './protocols/answer-errors.ts';
import { EventReader } from './read-events.ts';

/** Asks a model for one turn, and streams its text to `onText`. */
export type AskModel = (
  turn: Turn,
  onText: (text: string) => void,
  bounds: { readonly timeoutMs: number; readonly signal: AbortSignal },
) => Promise<Answer>;

const protocols: Readonly<Record<Exclude<ModelProtocol, 'demo'>, Protocol>> = { openai, anthropic };

const maxAnswerBytes = 32 * 1024 * 1024;
const maxErrorChars = 400;

/**
 * Creates it for one model, with requests through the egress guard. The key is masked in everything that the model or its
 * endpoint returns, so it never reaches an event, a record or a tool.
 */
export function createAskModel(fetch: FetchGuarded, model: Model, key: string | null): AskModel {
  if (model.protocol === 'demo') return askDemo;
  const protocol = protocols[model.protocol];
  return async (turn, onText, { timeoutMs, signal }) => {
    const mask = createMaskStream(key);
    const emit = (text: string) => {
      if (text !== '') onText(text);
    };
    const reader = protocol.reader((text) => emit(mask.take(text)));
    const events = new EventReader((name, data) => reader.event(name, data));
    let reply: OutboundReply;
    try {
      reply = await fetch({
        url: protocol.addressOf(model.baseUrl),
        method: 'POST',
        headers: {
          accept: 'text/event-stream, application/json',
          // A compressed reply cannot be read while it streams.
          'accept-encoding': 'identity',
          ...protocol.headersOf(key),
        },
        body: {
          contentType: 'application/json',
          content: JSON.stringify(protocol.bodyOf(model, turn)),
        },
        maxReplyBytes: maxAnswerBytes,
        timeoutMs,
        firstByteTimeoutMs: timeoutMs,
        signal,
        onPiece: (piece) => events.take(piece),
      });
      if (reply.status < 200 || reply.status > 299) throw statusError(model, reply);
      readRest(reply);
      events.end();
      if (!reader.isOver) throw playgroundErrors.answerIncomplete({ model: model.name });
    } catch (error) {
      emit(mask.end());
      if (!(error instanceof HandrailError)) throw error;
      throw new HandrailError(error.code, mask.whole(error.message), error.details, { cause: error.cause });
    }
    emit(mask.end());
    const answer = reader.answer();
    return {
      ...answer,
      text: mask.whole(answer.text),
      calls: answer.calls.map((call) => ({ ...call, arguments: mask.whole(call.arguments) })),
    };

    /** Reads a reply that wasn't streamed: one that was compressed anyway, or a single JSON document. */
    function readRest({ body, headers }: OutboundReply): void {
      if (body.length === 0) return;
      if (/^text\/event-stream\b/i.test(headers['content-type'] ?? '')) {
        events.take(body);
        return;
      }
      let whole: unknown;
      try {
        whole = JSON.parse(body.toString('utf8'));
      } catch {
        throw unreadableAnswerError('responded with neither an event stream nor JSON');
      }
      reader.whole(whole);
    }
  };
}

const askDemo: AskModel = (turn, onText) => {
  const answer = answerAsDemo(turn);
  onText(answer.text);
  return Promise.resolve(answer);
};

function statusError(model: Model, { status, headers, body, url }: OutboundReply): HandrailError {
  const { origin } = new URL(url);
  const words = wordsOf(body);
  const said = words === '' ? '' : ` It says: ${words}`;
  const details = { upstreamStatus: status };
  const values = { origin, status, model: model.name, modelName: model.model, said };
  if (status === 401 || status === 403)
    return model.sealed === undefined
      ? playgroundErrors.keyNeeded(values, details)
      : playgroundErrors.keyRejected(values, details);
  if (status === 404) return playgroundErrors.modelNotFound(values, details);
  if (status === 429) {
    const after = /^\d{1,6}$/.exec(headers['retry-after'] ?? '')?.[0];
    return playgroundErrors.rateLimited(
      { ...values, retrySeconds: after },
      { ...details, ...(after !== undefined && { retryAfterMs: Number(after) * 1_000 }) },
    );
  }
  if (status >= 500) return playgroundErrors.endpointFailed(values, details);
  if (status >= 300 && status < 400) return playgroundErrors.endpointRedirects(values, details);
  return playgroundErrors.questionRejected(values, details);
}

/** An endpoint's error message, in one line. */
function wordsOf(body: Buffer): string {
  const text = body.subarray(0, 64 * 1024).toString('utf8');
  let words: string | undefined;
  try {
    const parsed = objectOr(JSON.parse(text));
    const { error } = parsed;
    words =
      textOr(objectOr(error)['message']) ??
      textOr(error) ??
      textOr(parsed['message']) ??
      textOr(parsed['detail']);
  } catch {
    words = text.trimStart().startsWith('<') ? undefined : text;
  }
  return tidyText(words ?? '', maxErrorChars);
}
