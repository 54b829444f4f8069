import type { Kysely } from 'kysely';
import type { CallFilter } from '../ports.ts';
import type { Tables } from '../schema.ts';

type Window = Pick<CallFilter, 'fromMs' | 'toMs'> & { readonly last: boolean };

/** The whole time that a filter spans, in one piece. */
export async function* wholeTime(filter: CallFilter): AsyncGenerator<Window> {
  yield { fromMs: filter.fromMs, toMs: filter.toMs, last: true };
}

/** The time that a filter spans, newest first, in pieces of about `rows` records each, so that a long search can stop. */
export async function* timeWindows(
  db: Kysely<Tables>,
  filter: CallFilter,
  rows: number,
): AsyncGenerator<Window> {
  let toMs = filter.toMs ?? Number.MAX_SAFE_INTEGER;
  const { fromMs = Number.MIN_SAFE_INTEGER } = filter;
  for (;;) {
    const edge = await db
      .selectFrom('call_records')
      .select('started_at_ms')
      .where('started_at_ms', '<', toMs)
      .where('started_at_ms', '>=', fromMs)
      .orderBy('started_at_ms', 'desc')
      .limit(1)
      .offset(rows)
      .executeTakeFirst();
    yield { fromMs: edge?.started_at_ms ?? fromMs, toMs, last: edge === undefined };
    if (!edge) return;
    toMs = edge.started_at_ms;
  }
}
