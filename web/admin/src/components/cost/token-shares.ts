/** The tokens of a group of tools. */
export interface TokenShare {
  readonly name: string;
  readonly tools: number;
  readonly tokens: number;
}

/** Tokens per group, largest first. A tool can be in several groups. */
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

/** The largest shares, and all others combined. */
export function largest(shares: readonly TokenShare[], maxShown: number) {
  // A single remaining share is shown as itself, because it takes no more space.
  const shown = shares.length <= maxShown + 1 ? shares : shares.slice(0, maxShown);
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
