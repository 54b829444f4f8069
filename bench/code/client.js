const both = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** Speaks MCP to a server of a gateway, in one of its modes. */
export function mcpClient({ url, headers }, mode) {
  const address = `${url}?mode=${mode}`;
  let id = 0;
  const ask = async (method, params) => {
    const response = await fetch(address, {
      method: 'POST',
      headers: { ...both, authorization: headers.authorization },
      body: JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params }),
    });
    const text = await response.text();
    const json = text.startsWith('{') ? text : text.slice(text.lastIndexOf('\ndata: ') + 7).trim();
    const { result, error } = JSON.parse(json);
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  };
  return {
    list: async () => (await ask('tools/list', {})).tools,
    call: (name, args) => ask('tools/call', { name, arguments: args }),
  };
}

/** What a model reads of a result. */
export function textOf({ content }) {
  return content
    .filter(
      ({ type, annotations }) => type === 'text' && !annotations?.audience?.every((who) => who === 'user'),
    )
    .map(({ text }) => text)
    .join('\n');
}
