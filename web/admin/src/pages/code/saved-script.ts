const keyOf = (server: string) => `handrail.script.${server}`;
const inMemory = new Map<string, string>();

/** The initial script, which runs on any server with tools. */
const starterScript = (comment: string) => `// ${comment}
const found = await search('list', { limit: 3 });
for (const { path } of found) print(await describe(path));
return found.map(({ path }) => path);
`;

/** The script written for a server in this tab, else a starter script that begins with the comment. */
export function readScript(server: string, comment: string): string {
  try {
    return sessionStorage.getItem(keyOf(server)) ?? starterScript(comment);
  } catch {
    return inMemory.get(server) ?? starterScript(comment);
  }
}

/** Keeps a script until the tab closes. */
export function saveScript(server: string, script: string): void {
  inMemory.set(server, script);
  try {
    sessionStorage.setItem(keyOf(server), script);
  } catch {
    // If storage is disabled or full, the script lasts as long as the page.
  }
}
