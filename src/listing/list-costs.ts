import { estimateTokens } from '../lib/text/estimate-tokens.ts';
import { type Listable, listEntryOf } from './list-entry.ts';
import type { TokenCounter } from './tokens/token-counter.ts';

/** What tools cost in a list of tools, in tokens. Counted aside, once for each state of a tool. */
export interface ListCosts {
  /** What a tool costs, if it was counted before. */
  known(listed: Listable, withOutputSchema: boolean): number | undefined;
  /** What each tool costs; counts those that were not yet, some at a time, until `enough` says so. */
  count(
    tools: readonly Listable[],
    withOutputSchema: boolean,
    enough?: (tokens: number) => boolean,
  ): Promise<number[]>;
  /** What each text costs. */
  countTexts(texts: readonly string[]): Promise<readonly number[]>;
}

const atOnce = 32;

export function createListCosts(counter: Pick<TokenCounter, 'count'>): ListCosts {
  // By tool, then by what else its entry is made from. A tool that changes is another object.
  const counted = new WeakMap<object, Map<string, number>>();

  const keyOf = ({ name, description }: Listable, withOutputSchema: boolean) =>
    `${name}\n${withOutputSchema}\n${description}`;

  function known(listed: Listable, withOutputSchema: boolean): number | undefined {
    return counted.get(listed.compiled.tool)?.get(keyOf(listed, withOutputSchema));
  }

  // A cost that cannot be counted is still about as high as its length says.
  const countTexts = (texts: readonly string[]) =>
    counter.count(texts).catch(() => texts.map(estimateTokens));

  async function countSome(some: readonly Listable[], withOutputSchema: boolean): Promise<void> {
    const missing = some.filter((listed) => known(listed, withOutputSchema) === undefined);
    if (missing.length === 0) return;
    const texts = missing.map((listed) => JSON.stringify(listEntryOf(listed, withOutputSchema)));
    const tokens = await countTexts(texts);
    missing.forEach((listed, at) => {
      const { tool } = listed.compiled;
      const variants = counted.get(tool) ?? new Map<string, number>();
      counted.set(tool, variants.set(keyOf(listed, withOutputSchema), tokens[at]!));
    });
  }

  return {
    known,
    countTexts,
    async count(tools, withOutputSchema, enough = () => false) {
      const costs: number[] = [];
      let sum = 0;
      for (let at = 0; at < tools.length && !enough(sum); at += atOnce) {
        const some = tools.slice(at, at + atOnce);
        await countSome(some, withOutputSchema);
        for (const listed of some) {
          const tokens = known(listed, withOutputSchema)!;
          sum += tokens;
          costs.push(tokens);
        }
      }
      return costs;
    },
  };
}
