import { sendOneOnStream } from '../stream-load.js';

/** Asks a peer over MCP, the way its load is sent. */
export async function ask({ target }, method, params = {}) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 9, method, params });
  const text = target.openSession
    ? (await sendOneOnStream({ ...target, body })).text
    : await post(target, body);
  const json = text.startsWith('{') ? text : /^data: ?(\{.*)$/m.exec(text)?.[1];
  const { result, error } = JSON.parse(json ?? '{}');
  if (result === undefined) throw new Error(`${method}: ${error?.message ?? text.slice(0, 100)}`);
  return result;
}

async function post({ url, headers }, body) {
  const response = await fetch(url, { method: 'POST', headers, body });
  return response.text();
}

/** Every tool of a peer, page by page. */
export async function listOf(started) {
  if (started.documentUrl !== undefined) {
    const document = await (await fetch(started.documentUrl)).json();
    return Object.entries(document.paths);
  }
  const tools = [];
  let cursor;
  do {
    const page = await ask(started, 'tools/list', cursor === undefined ? {} : { cursor });
    tools.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return tools;
}
