import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import { toHandrailError } from '../../../domain/errors.ts';
import { createPace } from '../../../lib/timing/pace.ts';
import type { MetaStore } from '../../../storage/ports.ts';
import type { Embed } from './embeddings-endpoint.ts';

/** Finds documents with a meaning similar to a query, while an embeddings endpoint is available. */
export interface MeaningSearch {
  /** Adds the text of a document to compare with; its vector is fetched in the background. */
  want(key: string, text: string): void;
  forget(key: string): void;
  /** Keys by similarity, best first; empty if the endpoint is unavailable or too slow. Never rejects. */
  rank(query: string, keys: Iterable<string>): Promise<readonly string[]>;
  /** Resolves when nothing is left to fetch, or the endpoint is unavailable. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

/** Whether the endpoint answered a query; if not, the search uses words alone. */
export type MeaningOutcome = 'answered' | 'away';

const prefix = 'embedding:';
const maxBatchSize = 64;
const maxTextLength = 2_000;
const maxVectors = 50_000;
const maxQueries = 500;
const maxRanked = 100;
const fetchTimeoutMs = 60_000;
const awayMs = 30_000;

/** `queryTimeoutMs` is how long a search waits for its query's vector. */
export function createMeaningSearch(options: {
  readonly embed: Embed;
  /** Distinguishes the vectors of different models. */
  readonly model: string;
  readonly queryTimeoutMs: number;
  readonly meta: Pick<MetaStore, 'getAll' | 'setAll' | 'delete'>;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly now: () => number;
  readonly onQuery: (outcome: MeaningOutcome) => void;
}): MeaningSearch {
  const { embed, model, queryTimeoutMs, meta, log, now, onQuery } = options;
  const stopping = new AbortController();
  // Keyed by a hash of the text, so that identical texts are fetched once.
  const vectors = new Map<string, Int8Array>();
  const queries = new Map<string, Int8Array>();
  const wanted = new Map<string, string>();
  const missing = new Map<string, string>();
  let fetching: Promise<void> | null = null;
  let kept: Promise<void> | null = null;
  let awayUntilMs = 0;
  // Some endpoints accept fewer texts per request than others, without saying how many.
  let batchSize = maxBatchSize;
  let wasAway = false;

  const hashOf = (text: string) =>
    createHash('sha256').update(`${model}\n${text}`).digest('base64url').slice(0, 32);

  function markAway(error: unknown): void {
    awayUntilMs = now() + awayMs;
    if (wasAway || stopping.signal.aborted) return;
    wasAway = true;
    log.warn(
      { why: toHandrailError(error).message },
      'the embeddings endpoint is unavailable: search uses words alone until it is back',
    );
  }

  function markBack(): void {
    awayUntilMs = 0;
    if (!wasAway) return;
    wasAway = false;
    log.info('the embeddings endpoint is back');
  }

  async function readKept(): Promise<void> {
    for (const [name, text] of await meta.getAll(prefix)) {
      if (vectors.size >= maxVectors) break;
      vectors.set(name.slice(prefix.length), new Int8Array(Buffer.from(text, 'base64')));
    }
  }

  /** Drops vectors that no document uses anymore, oldest first. */
  async function dropUnused(): Promise<void> {
    const inUse = new Set(wanted.values());
    for (const hash of vectors.keys()) {
      if (vectors.size <= maxVectors) break;
      if (inUse.has(hash)) continue;
      vectors.delete(hash);
      await meta.delete(`${prefix}${hash}`);
    }
  }

  async function fetchMissing(): Promise<void> {
    kept ??= readKept();
    await kept;
    while (missing.size > 0 && !stopping.signal.aborted && now() >= awayUntilMs) {
      const some = [...missing].filter(([hash]) => !vectors.has(hash)).slice(0, batchSize);
      if (some.length === 0) {
        missing.clear();
        break;
      }
      if (vectors.size + some.length > maxVectors && wanted.size > maxVectors) return;
      const found = await embed(
        some.map(([, text]) => text),
        fetchTimeoutMs,
        stopping.signal,
      );
      markBack();
      some.forEach(([hash], at) => {
        vectors.set(hash, found[at]!);
        missing.delete(hash);
      });
      await meta.setAll(
        some.map(([hash], at) => [`${prefix}${hash}`, Buffer.from(found[at]!).toString('base64')] as const),
      );
      await dropUnused();
    }
  }

  function fetchSoon(): void {
    if (fetching !== null || stopping.signal.aborted || now() < awayUntilMs) return;
    fetching = Promise.resolve()
      .then(fetchMissing)
      .catch((error: unknown) => {
        batchSize = Math.max(1, batchSize >> 1);
        markAway(error);
      })
      .finally(() => {
        fetching = null;
      });
  }

  async function vectorOf(query: string): Promise<Int8Array> {
    const known = queries.get(query);
    if (known) return known;
    const [vector] = await embed([query], queryTimeoutMs, stopping.signal);
    markBack();
    queries.set(query, vector!);
    if (queries.size > maxQueries) queries.delete(queries.keys().next().value!);
    return vector!;
  }

  return {
    want(key, text) {
      const said = text.slice(0, maxTextLength);
      const hash = hashOf(said);
      wanted.set(key, hash);
      if (vectors.has(hash)) return;
      missing.set(hash, said);
      fetchSoon();
    },

    forget(key) {
      wanted.delete(key);
    },

    async rank(query, keys) {
      if (missing.size > 0) fetchSoon();
      if (now() < awayUntilMs) {
        onQuery('away');
        return [];
      }
      try {
        const vector = await vectorOf(query.slice(0, maxTextLength));
        const ranked = await rankBySimilarity(vector, keys, (key) => vectors.get(wanted.get(key) ?? ''));
        onQuery('answered');
        return ranked;
      } catch (error) {
        markAway(error);
        onQuery('away');
        return [];
      }
    },

    async settled() {
      await fetching;
    },

    async stop() {
      stopping.abort();
      await fetching;
    },
  };
}

/** The keys of the most similar vectors, best first. */
async function rankBySimilarity(
  vector: Int8Array,
  keys: Iterable<string>,
  vectorOf: (key: string) => Int8Array | undefined,
): Promise<readonly string[]> {
  const pace = createPace(5);
  const scored: { readonly key: string; readonly score: number }[] = [];
  for (const key of keys) {
    const other = vectorOf(key);
    if (other?.length === vector.length) scored.push({ key, score: cosine(vector, other) });
    await pace();
  }
  return scored
    .sort((one, other) => other.score - one.score)
    .slice(0, maxRanked)
    .map(({ key }) => key);
}

function cosine(one: Int8Array, other: Int8Array): number {
  let product = 0;
  let oneSquared = 0;
  let otherSquared = 0;
  for (let at = 0; at < one.length; at++) {
    product += one[at]! * other[at]!;
    oneSquared += one[at]! * one[at]!;
    otherSquared += other[at]! * other[at]!;
  }
  return oneSquared === 0 || otherSquared === 0 ? 0 : product / Math.sqrt(oneSquared * otherSquared);
}
