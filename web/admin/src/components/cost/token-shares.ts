/** What a group of tools costs together. */
export interface TokenShare {
  readonly name: string;
  readonly tools: number;
  readonly tokens: number;
}

/** What groups of tools cost, the dearest first; a tool may be in several. */
export function sharesOf<Tool>(
  tools: readonly Tool[],
  tokensOf: (tool: Tool) => number,
  groupsOf: (tool: Tool) => readonly string[],
): TokenShare[] {
  const groups = new Map<string, { name: string; tools: number; tokens: number }>();
  for (const tool of tools) {
    for (const name of groupsOf(tool)) {
      const group = groups.get(name) ?? { name, tools: 0, tokens: 0 };
      group.tools++;
      group.tokens += tokensOf(tool);
      groups.set(name, group);
    }
  }
  return [...groups.values()].toSorted((one, other) => other.tokens - one.tokens);
}

/** The dearest few, and all others in one. */
export function largest(shares: readonly TokenShare[], most: number) {
  // One that would stand alone among the others takes no more room as itself.
  const shown = shares.length <= most + 1 ? shares : shares.slice(0, most);
  const rest = shares.slice(shown.length);
  const sum = (of: (share: TokenShare) => number) => rest.reduce((all, share) => all + of(share), 0);
  return {
    shown,
    others:
      rest.length === 0
        ? null
        : {
            groups: rest.length,
            tools: sum(({ tools }) => tools),
            tokens: sum(({ tokens }) => tokens),
          },
  };
}
