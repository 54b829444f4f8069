const keyOf = (server: string) => `handrail.script.${server}`;
const inMemory = new Map<string, string>();

/** What somebody began with who has written nothing yet: it runs on every server that has tools. */
export const firstScript = `// Write "tools." to see what there is to call.
const found = await search('list', { limit: 3 });
for (const { path } of found) print(await describe(path));
return found.map(({ path }) => path);
`;

/** The script that was written for a server in this tab. */
export function readScript(server: string): string {
  try {
    return sessionStorage.getItem(keyOf(server)) ?? firstScript;
  } catch {
    return inMemory.get(server) ?? firstScript;
  }
}

/** Keeps a script until the tab is closed. */
export function keepScript(server: string, script: string): void {
  inMemory.set(server, script);
  try {
    sessionStorage.setItem(keyOf(server), script);
  } catch {
    // Storage may be switched off or full; the script then lives as long as the page.
  }
}
