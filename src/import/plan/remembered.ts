import type { Tool } from '../../domain/tool.ts';

/** What is remembered of one API's dropped tools: the latest, as many as these limits let in. */
const mostTools = 2_000;
const mostCharacters = 16_000_000;

/** Of the dropped tools of one API, those that are too many to remember: the ones that went first. */
export function tooManyToRemember(
  gone: readonly Tool[],
  { tools = mostTools, characters = mostCharacters } = {},
): Tool[] {
  const latestFirst = gone.toSorted((a, b) => (b.source?.goneAtMs ?? 0) - (a.source?.goneAtMs ?? 0));
  let left = characters;
  return latestFirst.filter((tool, index) => {
    left -= JSON.stringify(tool).length;
    return index >= tools || left < 0;
  });
}
