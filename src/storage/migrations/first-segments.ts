// Segments as the first versions with segments wrote them, kept here for the migrations that made them: layout 1, whatever
// becomes of later ones.

/** What calls agree in, in this order. The first nine are counted in a segment's terms. */
export type FirstKind = readonly (string | number | null)[];
const termNames = [
  'toolName',
  'toolId',
  'apiSlug',
  'serverSlug',
  'callerId',
  'clientName',
  'surface',
  'outcome',
  'upstreamStatus',
];
const outcomeAt = 7;

/** Arguments, reply, request line, message. */
export type FirstTexts = readonly [string | null, string | null, string | null, string | null];

/** A call as these migrations hand it over. */
export interface FirstRecord {
  readonly id: string;
  readonly kind: FirstKind;
  readonly startedAtMs: number;
  readonly durationMs: number;
  readonly upstreamMs: number | null;
  readonly tries: number;
  readonly cached: number;
  readonly requestBytes: number;
  readonly replyBytes: number;
  readonly outputTokens: number;
  readonly texts: FirstTexts;
  readonly steps: readonly (readonly [
    name: string,
    startMs: number,
    durationMs: number,
    note?: string | null,
  ])[];
}

export interface FirstSegment {
  readonly minId: string;
  readonly maxId: string;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly records: number;
  readonly failures: number;
  readonly terms: string;
  readonly shared: string;
  readonly numbers: Uint8Array;
  readonly texts: Uint8Array;
}

/** Makes a segment of at least one call. */
export function makeFirstSegment(records: readonly FirstRecord[]): FirstSegment {
  const kinds = new Map<string, number>();
  const words = new Map<string, number>();
  const numbers: number[] = [];
  const texts: string[] = [];
  for (const record of records) {
    const own = [record.id, ...record.texts].map((text) => (text === null ? null : storable(text)));
    numbers.push(
      Math.round(record.startedAtMs),
      placeOf(kinds, JSON.stringify(record.kind.map(storableValue))),
      record.durationMs,
      record.upstreamMs ?? Number.NaN,
      record.tries,
      record.cached,
      record.requestBytes,
      record.replyBytes,
      record.outputTokens,
      ...own.map((text) => text?.length ?? -1),
      record.steps.length,
    );
    for (const [name, startMs, durationMs, note] of record.steps)
      numbers.push(
        placeOf(words, storable(name)),
        startMs,
        durationMs,
        note === undefined || note === null ? -1 : placeOf(words, storable(note)),
      );
    texts.push(...own.filter((text) => text !== null));
  }
  const ids = records.map(({ id }) => storable(id)).sort(inOrder);
  const times = records.map(({ startedAtMs }) => Math.round(startedAtMs)).sort((a, b) => a - b);
  return {
    minId: ids[0]!,
    maxId: ids.at(-1)!,
    firstMs: times[0]!,
    lastMs: times.at(-1)!,
    records: records.length,
    failures: records.filter(({ kind }) => kind[outcomeAt] !== 'ok').length,
    terms: `{${termNames.map((name, index) => termsOf(name, index, records)).join()}}`,
    shared: `[[${[...kinds.keys()].join()}],${JSON.stringify([...words.keys()])}]`,
    numbers: new Uint8Array(Float64Array.from(numbers).buffer),
    texts: Buffer.from(texts.join('')),
  };
}

function termsOf(name: string, index: number, records: readonly FirstRecord[]): string {
  const counts = new Map<string, number>();
  for (const { kind } of records) {
    const value = kind[index] ?? null;
    if (value === null) continue;
    const text = String(storableValue(value));
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return `"${name}":{${Array.from(counts, ([value, count]) => `${JSON.stringify(value)}:${count}`).join()}}`;
}

function placeOf(places: Map<string, number>, text: string): number {
  let place = places.get(text);
  if (place === undefined) places.set(text, (place = places.size));
  return place;
}

/** By the units of their text, as SQLite's own comparison of ids is told. */
function inOrder(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function storableValue(value: string | number | null): string | number | null {
  return typeof value === 'string' ? storable(value) : value;
}

function storable(text: string): string {
  // With the `u` flag a surrogate pair is one character, so the class matches unpaired ones only.
  return text.replaceAll(/[\0\ud800-\udfff]/gu, '\ufffd');
}
