// What a client does with a server, and how that server shows its tools. Each ends with the text that a tool brought.
import { longText, longTool } from './long-reply.mjs';

const tool = 'weather_get';
const args = { location: 'Berlin' };
const builtIn = ['search_tools', 'describe_tools', 'call_read', 'call_write', 'call_destructive'];

/** A script that calls a tool, and returns a part of its reply. */
export const weatherScript = `const { temperature } = await tools.demo.weather_get(${JSON.stringify(args)});
return { temperature };`;

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
    const name = /(weather_get)\(/.exec(found)?.[1];
    expectThat(name !== undefined, `the search found something else: ${found.slice(0, 300)}`);
    const described = await call('describe_tools', { names: [name] });
    expectThat(described.includes('inputSchema'), `the description is another: ${described.slice(0, 300)}`);
    return call('call_read', { name, arguments: args });
  },

  /** Finds how a script calls a tool, and runs one that does. */
  async code({ names, call }) {
    expectThat(
      names.length === 3 && names.includes('run_code'),
      `a server that is used from code lists ${names.length} tools: ${names.slice(0, 8).join(', ')}`,
    );
    const found = await call('search_tools', { query: 'current weather for a location' });
    expectThat(
      found.includes(`tools.demo.${tool}(`),
      `the search found something else: ${found.slice(0, 300)}`,
    );
    return call('run_code', { code: weatherScript });
  },

  /** Gets a handle in place of a reply that is too long, and reads all of it: by the handle, and by the link beside it. */
  async replies({ call, read }) {
    const cut = await call('call_read', { name: longTool });
    const handle = /\breply_[\w-]+/.exec(cut)?.[0];
    const uri = /\bhandrail:\/\/replies\/[\w-]+/.exec(cut)?.[0];
    expectThat(handle && uri, `there is no handle, or no link: ${cut.slice(0, 300)} … ${cut.slice(-300)}`);
    expectThat(cut.length < longText.length, 'the long reply came whole');
    const records = [];
    for (let isEnd = false; !isEnd;) {
      const text = await call('read_reply', { handle, offset: records.length });
      const note = /\[records \d+ to (\d+) of \d+(: the end)?[^\]]*\]$/.exec(text);
      expectThat(note !== null, `this is no page of records: ${text.slice(0, 300)} … ${text.slice(-300)}`);
      records.push(...JSON.parse(text.slice(0, note.index)));
      expectThat(records.length === Number(note[1]) + 1, `the page says ${note[0]}, and has others`);
      isEnd = note[2] !== undefined;
    }
    expectThat(JSON.stringify(records) === longText, 'what the handle gave is not what the API sent');
    const linked = await read(uri);
    expectThat(linked === longText, `the link gave something else: ${linked.slice(0, 300)}`);
    return linked;
  },
};

/** How a server shows its tools to a journey. */
export const modeOf = (journey) => (journey === 'replies' ? 'search' : journey);

const travellers = {
  // Those that read resources follow long replies, all others only call.
  replies: /^(?:Inspector|@ai-sdk|@langchain|@modelcontextprotocol)\b/,
  // Agents; what the libraries do with scripts is in test/code.
  code: /^@(?:openai|google|mastra)\b/,
};

/** Whether a client goes on a journey. */
export const hasMore = (name, journey) => travellers[journey]?.test(name) ?? true;
