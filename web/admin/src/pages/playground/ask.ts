import { createParser } from 'eventsource-parser';
import { urlFor } from '../../api/url-for.ts';
import { send } from '../../api/client.ts';
import type { BodyOf, RouteAt } from '../../api/routes.ts';

/** A question for a model. */
export type Question = BodyOf<RouteAt<'POST', '/servers/:server/ask'>>;

/** Asks a model and passes on each event. Resolves when the stream ends. */
export async function ask(
  server: string,
  question: Question,
  onEvent: (name: string, data: never) => void,
  signal: AbortSignal,
): Promise<void> {
  const response = await send(`/api/v1${urlFor('/servers/:server/ask', { server }, {})}`, {
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
