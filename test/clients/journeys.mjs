// What a client does with a server, by how the server shows its tools. Both end with the text that the call of a tool brought.
const tool = 'weather_get';
const args = { location: 'Berlin' };
const builtIn = ['search_tools', 'describe_tools', 'call_read', 'call_write', 'call_destructive'];

function expectThat(isSo, sentence) {
  if (!isSo) throw new Error(sentence);
}

export const journeys = {
  /** Lists every tool, and calls one. */
  async direct({ names, call }) {
    expectThat(
      names.includes(tool),
      `${tool} is not among ${names.length} tools: ${names.slice(0, 8).join(', ')}`,
    );
    return call(tool, args);
  },

  /** Finds a tool by words, reads how it is called, and calls it by its name through the door of its kind. */
  async search({ names, call }) {
    expectThat(
      builtIn.every((name) => names.includes(name)) && !names.includes(tool),
      `a searched server lists ${names.length} tools: ${names.slice(0, 8).join(', ')}`,
    );
    const found = await call('search_tools', { query: 'current weather for a location' });
    const name = /\b(weather_get)\(/.exec(found)?.[1];
    expectThat(name !== undefined, `the search found something else: ${found.slice(0, 300)}`);
    const described = await call('describe_tools', { names: [name] });
    expectThat(described.includes('inputSchema'), `the description is another: ${described.slice(0, 300)}`);
    return call('call_read', { name, arguments: args });
  },
};
