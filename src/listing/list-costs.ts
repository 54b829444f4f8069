import { createHash } from 'node:crypto';
import { estimateTokens } from '../lib/text/token-bound.ts';
import { createPace } from '../lib/timing/pace.ts';
import { type Listable, listEntryOf, wholeEntryOf } from './list-entry.ts';
import type { TokenCounter } from './tokens/token-counter.ts';
import { WeakCache } from '../lib/weak-cache.ts';

/** The cost of tools in a list, in tokens. Counted in the background, once for each state of a tool. */
export interface ListCosts {
  /** The cost of a tool, if it was already counted. */
  known(listed: Listable, withOutputSchema: boolean): number | undefined;
  /** The cost of each tool; counts missing ones in batches until `enough` returns true. */
  count(
    tools: readonly Listable[],
    withOutputSchema: boolean,
    enough?: (tokens: number) => boolean,
  ): Promise<number[]>;
  /** The cost of a text, if it was counted recently. */
  knownText(text: string): number | undefined;
  /** The cost of each text; counts only those that weren't counted before. */
  countTexts(texts: readonly string[]): Promise<readonly number[]>;
}

/** Counts from earlier processes, by `countKey`. */
export type KeptCounts = () => Promise<ReadonlyMap<string, number>>;

// The size of one batch: a small list waits no longer than for one of these.
const atOnce = 32;
const charsAtOnce = 1_000_000;
const maxTexts = 1_000;

/** `kept` is read when something has to be counted for the first time. */
export function createListCosts(
  counter: Pick<TokenCounter, 'count' | 'countEntries'>,
  kept: KeptCounts = () => Promise.resolve(new Map()),
): ListCosts {
  // By tool, then by what else its entry is made from. A changed tool is a different object.
  const counted = new WeakCache<object, Map<string, number>>();

  // By content; the least recently used one is dropped first.
  const countedTexts = new Map<string, number>();

  function keepText(key: string, tokens: number): void {
    countedTexts.delete(key);
    countedTexts.set(key, tokens);
    if (countedTexts.size > maxTexts) countedTexts.delete(countedTexts.keys().next().value!);
  }

  function known(listed: Listable, withOutputSchema: boolean): number | undefined {
    return counted.get(listed.compiled.tool)?.get(variantOf(listed, withOutputSchema));
  }

  function keep(listed: Listable, withOutputSchema: boolean, tokens: number): void {
    const { tool } = listed.compiled;
    const variants = counted.get(tool) ?? new Map<string, number>();
    counted.set(tool, variants.set(variantOf(listed, withOutputSchema), tokens));
  }

  return {
    known,
    knownText: (text) => countedTexts.get(textKey(text)),

    async countTexts(texts) {
      const keys = texts.map(textKey);
      const before = keys.every((key) => countedTexts.has(key)) ? undefined : await kept();
      const costs = keys.map((key) => countedTexts.get(key) ?? before?.get(key));
      const missing = texts.filter((_, at) => costs[at] === undefined);
      const counts = await counter.count(missing).catch(() => null);
      let next = 0;
      return texts.map((text, at) => {
        // A cost that can't be counted is estimated from the length.
        const tokens = costs[at] ?? counts?.[next++] ?? estimateTokens(text);
        if (costs[at] !== undefined || counts !== null) keepText(keys[at]!, tokens);
        return tokens;
      });
    },

    async count(tools, withOutputSchema, enough = () => false) {
      const costs: number[] = [];
      const pace = createPace();
      let sum = 0;
      let before: ReadonlyMap<string, number> | undefined;
      for (let at = 0; at < tools.length && !enough(sum);) {
        const missing: Listable[] = [];
        const texts: string[] = [];
        const some: Listable[] = [];
        const found = new Map<Listable, number>();
        const note = (listed: Listable, tokens: number): void => {
          found.set(listed, tokens);
          keep(listed, withOutputSchema, tokens);
        };
        for (let chars = 0; at < tools.length && some.length < atOnce && chars < charsAtOnce; at++) {
          const listed = tools[at]!;
          some.push(listed);
          const cached = known(listed, withOutputSchema);
          if (cached === undefined) before ??= await kept();
          const tokens = cached ?? before?.get(countKey(listed, withOutputSchema));
          if (tokens !== undefined) {
            note(listed, tokens);
            continue;
          }
          missing.push(listed);
          chars += texts[texts.push(JSON.stringify(wholeEntryOf(listed, withOutputSchema))) - 1]!.length;
          await pace();
        }
        const estimates = await counter.countEntries(texts).then(
          (counts) => {
            missing.forEach((listed, nth) => note(listed, counts[nth]!));
            return null;
          },
          // Not stored: next time it may be counted.
          () => (listed: Listable) => estimateTokens(JSON.stringify(listEntryOf(listed, withOutputSchema))),
        );
        for (const listed of some) {
          const tokens = found.get(listed) ?? estimates!(listed);
          sum += tokens;
          costs.push(tokens);
        }
        await pace();
      }
      return costs;
    },
  };
}

function variantOf({ name, description }: Listable, withOutputSchema: boolean): string {
  return `${name}\n${withOutputSchema}\n${description}`;
}

/** The key under which a text's count is stored between processes. */
export function textKey(text: string): string {
  return `text ${createHash('sha256').update(text).digest('base64url')}`;
}

/**
 * The key under which a count is stored between processes: changes with everything that is counted, except the
 * program itself.
 */
export function countKey(listed: Listable, withOutputSchema: boolean): string {
  const { tool } = listed.compiled;
  const isOwn = listed.name === tool.name && listed.description === tool.description;
  const words = isOwn ? '' : shortHash(`${listed.name}\n${listed.description}`);
  // What the API fills in itself isn't listed, and may change without the tool.
  const inputs = tool.operation.parameters.filter(({ hidden, fixed }) => !hidden && fixed === undefined);
  const asked = shortHash(inputs.map(({ name }) => name).join('\n'));
  return [tool.id, tool.revision, asked, withOutputSchema ? 'o' : '', words].join(' ').trimEnd();
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 12);
}
