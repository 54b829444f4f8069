import type { KeptReply } from './kept-replies.ts';
import type { Part, PartRequest } from './reading/part-request.ts';
import { type Places, stretchFrom } from './reading/places.ts';
import { bytesOfPage } from './reading/read-page.ts';
import { runReading } from './reading/read-in-thread.ts';
import type { RecentTexts } from './recent-texts.ts';

/** A text that can be read in stretches, and where its records or lines are. */
interface TextSource {
  readonly bytes: number;
  readonly places: Places | null;
  /** Null if it was removed in the meantime. */
  slice(fromByte: number, toByte: number): Promise<Buffer | null>;
}

/**
 * Reads a part of a kept text in at most `maxTokens`; null if the text was removed in the meantime, and a
 * PartError if it can't be read as requested. A page opens no more of the text than it shows; a selection stays
 * in memory for a while, so that its pages don't select it again.
 */
export async function readKeptPart(
  reply: KeptReply,
  request: PartRequest,
  maxTokens: number,
  recent: RecentTexts,
): Promise<Part | null> {
  const { select, search } = request;
  const caller = reply.callerId;
  const source = select === undefined ? wholeOf(reply) : await selectionOf(reply, select, recent);
  if (source === null) return null;
  if (search !== undefined) {
    const text = await textOf(source);
    return text === null
      ? null
      : runReading(caller, { kind: 'search', text, search, request, tokens: maxTokens });
  }
  const places = source.places ?? (await placesOf(caller, source));
  if (places === null) return null;
  const { first, fromByte, toByte } = stretchFrom(
    places,
    request.offset,
    bytesOfPage(maxTokens),
    source.bytes,
  );
  const bytes = await source.slice(fromByte, toByte);
  const { unit, total } = places;
  return (
    bytes &&
    runReading(caller, {
      kind: 'page',
      text: bytes.toString('utf8'),
      source: { first, places: { unit, total } },
      request,
      tokens: maxTokens,
    })
  );
}

function wholeOf(reply: KeptReply): TextSource {
  const { bytes, places = null } = reply.head;
  return { bytes, places, slice: (from, to) => reply.slice(from, to) };
}

async function selectionOf(
  reply: KeptReply,
  select: string,
  recent: RecentTexts,
): Promise<TextSource | null> {
  const key = `${reply.handle}\n${select}`;
  let known = recent.get(key);
  if (known === undefined) {
    const text = await textOf(wholeOf(reply));
    if (text === null) return null;
    const selected = await runReading(reply.callerId, { kind: 'select', text, select });
    known = { content: Buffer.from(selected.text, 'utf8'), places: selected.places };
    recent.add(key, known);
  }
  const { content, places } = known;
  return {
    bytes: content.length,
    places,
    slice: async (from, to) => content.subarray(from, to),
  };
}

async function textOf(source: TextSource): Promise<string | null> {
  const bytes = await source.slice(0, source.bytes);
  return bytes && bytes.toString('utf8');
}

async function placesOf(caller: string, source: TextSource): Promise<Places | null> {
  const text = await textOf(source);
  return text === null ? null : runReading(caller, { kind: 'places', text });
}
