import { HandrailError } from '../domain/errors.ts';
import type { Model, ModelProtocol } from '../domain/models/model.ts';
import { objectOr, textOr } from '../lib/json/plain-object.ts';
import { tidyText } from '../lib/text/tidy-text.ts';
import type { FetchGuarded, OutboundReply } from '../upstream/fetch-guarded.ts';
import { createMaskStream } from './mask-stream.ts';
import type { Answer, Protocol, Turn } from './messages.ts';
import { anthropic } from './protocols/anthropic.ts';
import { openai } from './protocols/openai.ts';
import { unreadable } from './protocols/unreadable.ts';
import { EventReader } from './read-events.ts';

/** Asks a model for one turn, and tells its words while they come. */
export type AskModel = (
  turn: Turn,
  onText: (text: string) => void,
  bounds: { readonly timeoutMs: number; readonly signal: AbortSignal },
) => Promise<Answer>;

const protocols: Readonly<Record<ModelProtocol, Protocol>> = { openai, anthropic };

const maxAnswerBytes = 32 * 1024 * 1024;
const longestWords = 400;

/**
 * Makes it for one model, through the egress guard. Its key is masked wherever the model or its endpoint should say it, and
 * so goes into no event, no record and no tool.
 */
export function createAskModel(fetch: FetchGuarded, model: Model, key: string | null): AskModel {
  const protocol = protocols[model.protocol];
  return async (turn, onText, { timeoutMs, signal }) => {
    const mask = createMaskStream(key);
    const tell = (text: string) => {
      if (text !== '') onText(text);
    };
    const reader = protocol.reader((text) => tell(mask.take(text)));
    const events = new EventReader((name, data) => reader.event(name, data));
    let reply: OutboundReply;
    try {
      reply = await fetch({
        url: protocol.addressOf(model.baseUrl),
        method: 'POST',
        headers: {
          accept: 'text/event-stream, application/json',
          // What is packed cannot be read while it comes.
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
      if (reply.status < 200 || reply.status > 299) throw refused(model, reply);
      readRest(reply);
      events.end();
      if (!reader.isOver) throw cutOff(model);
    } catch (error) {
      tell(mask.end());
      if (!(error instanceof HandrailError)) throw error;
      throw new HandrailError(error.code, mask.whole(error.message), error.details, { cause: error.cause });
    }
    tell(mask.end());
    const answer = reader.answer();
    return {
      ...answer,
      text: mask.whole(answer.text),
      calls: answer.calls.map((call) => ({ ...call, arguments: mask.whole(call.arguments) })),
    };

    /** What did not come as a stream: one that was packed all the same, or an answer that is one document. */
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
        throw unreadable('answered with neither a stream of events nor JSON');
      }
      reader.whole(whole);
    }
  };
}

function cutOff({ name }: Model): HandrailError {
  return new HandrailError(
    'reply_invalid',
    `The endpoint of "${name}" broke off in the middle of its answer. Ask again.`,
  );
}

function refused(model: Model, { status, headers, body, url }: OutboundReply): HandrailError {
  const { origin } = new URL(url);
  const words = wordsOf(body);
  const said = words === '' ? '' : ` It says: ${words}`;
  const details = { upstreamStatus: status };
  const told = (sentence: string) => new HandrailError('upstream_status', `${sentence}${said}`, details);
  if (status === 401 || status === 403)
    return told(
      model.sealed === undefined
        ? `${origin} wants a key (HTTP ${status}): enter the key of "${model.name}".`
        : `${origin} does not take the key of "${model.name}" (HTTP ${status}): enter it again, and look whether it may use ${model.model}.`,
    );
  if (status === 404)
    return told(
      `${origin} knows neither this address nor the model "${model.model}" (HTTP 404): look at the base URL and the name of "${model.name}".`,
    );
  if (status === 429) {
    const after = /^\d{1,6}$/.exec(headers['retry-after'] ?? '')?.[0];
    return new HandrailError(
      'upstream_status',
      `${origin} lets "${model.name}" be asked no more for now (HTTP 429)${after === undefined ? '' : `: try again in ${after} s`}.${said}`,
      { ...details, ...(after !== undefined && { retryAfterMs: Number(after) * 1_000 }) },
    );
  }
  if (status >= 500) return told(`${origin} failed (HTTP ${status}): try again later.`);
  if (status >= 300 && status < 400)
    return told(`${origin} sends elsewhere (HTTP ${status}): enter the address that it means.`);
  return told(`${origin} did not take the question (HTTP ${status}).`);
}

/** What an endpoint says about an error, in one line. */
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
  return tidyText(words ?? '', longestWords);
}
