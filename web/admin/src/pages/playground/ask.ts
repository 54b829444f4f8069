import { createParser } from 'eventsource-parser';
import { addressOf } from '../../api/address.ts';
import { send } from '../../api/client.ts';
import type { BodyOf, RouteAt } from '../../api/routes.ts';

/** What a model is asked. */
export type Question = BodyOf<RouteAt<'POST', '/servers/:server/ask'>>;

/** Asks a model, and tells each event as it comes. Resolves when the stream has ended. */
export async function ask(
  server: string,
  question: Question,
  onEvent: (name: string, data: never) => void,
  signal: AbortSignal,
): Promise<void> {
  const response = await send(`/api/v1${addressOf('/servers/:server/ask', { server }, {})}`, {
    method: 'POST',
    headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify(question),
    signal,
  });
  const parser = createParser({
    onEvent: ({ event = 'message', data }) => onEvent(event, JSON.parse(data) as never),
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) parser.feed(piece.value);
}
