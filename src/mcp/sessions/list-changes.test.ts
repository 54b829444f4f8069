import { afterEach, expect, it } from 'vitest';
import {
  anonymous,
  listedTool,
  modern,
  post,
  serverView,
  startSurface,
} from '../../../test/support/mcp-surface.ts';
import type { Surface, SurfaceOptions } from '../../../test/support/mcp-surface.ts';
import type { Caller } from '../../domain/call.ts';
import type { Server } from '../../domain/server.ts';

const started: Surface[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((surface) => surface.stop()));
});

const [one, two] = [listedTool('one'), listedTool('two')];
const full: Partial<Server> = {
  prompts: [{ name: 'greet', arguments: [], text: 'Hello' }],
  resources: [{ uri: 'two://all', name: 'two', toolId: 'tool_two' }],
};

/** A stream of each era to one server, as the methods of what it says. */
async function listening(options: SurfaceOptions = {}) {
  const surface = await startSurface({ views: [serverView('demo', [one, two], full)], ...options });
  started.push(surface);
  const url = surface.url('demo');
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } };
  const opened = await post(url, { jsonrpc: '2.0', id: 1, method: 'initialize', params });
  const notifications = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
  const { body, headers } = modern('subscriptions/listen', { notifications });
  const streams = {
    legacy: await fetch(url, {
      headers: { accept: 'text/event-stream', 'mcp-session-id': opened.headers.get('mcp-session-id')! },
    }),
    modern: await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify(body),
    }),
  };
  const heard = { legacy: reader(streams.legacy), modern: reader(streams.modern) };
  expect(await heard.modern()).toBe('notifications/subscriptions/acknowledged');
  return { surface, heard: async () => [await heard.legacy(), await heard.modern()] };
}

/** Gives the method of each message of an event stream in turn, and null at its end. */
function reader(stream: Response): () => Promise<string | null> {
  const chunks = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return async () => {
    for (;;) {
      const found = /^data: (\{.*\})$/m.exec(text);
      if (found) {
        text = text.slice(found.index + found[0].length);
        return (JSON.parse(found[1]!) as { method: string }).method;
      }
      const { done, value } = await chunks.read();
      if (done) return null;
      text += value;
    }
  };
}

const both = (method: string | null) => [method, method];

it('tells of resources that went with their tool', async () => {
  const { surface, heard } = await listening();
  surface.publish(serverView('demo', [one], full));
  expect(await heard()).toEqual(both('notifications/tools/list_changed'));
  expect(await heard()).toEqual(both('notifications/resources/list_changed'));
});

it('tells that the last prompt is gone', async () => {
  const { surface, heard } = await listening();
  surface.publish(serverView('demo', [one, two], { ...full, prompts: [] }));
  expect(await heard()).toEqual(both('notifications/prompts/list_changed'));
});

it('tells of tools that are written in another dialect', async () => {
  const { surface, heard } = await listening();
  surface.publish(serverView('demo', [one, two], { ...full, dialect: 'portable' }));
  expect(await heard()).toEqual(both('notifications/tools/list_changed'));
});

it('says nothing of what the caller may not call, and tells when it may call something else', async () => {
  const restricted = (...ids: string[]): Caller => ({ ...anonymous, id: 'key:1', toolIds: new Set(ids) });
  let caller = restricted('tool_one');
  const { surface, heard } = await listening({ callerOf: () => caller });
  surface.publish(serverView('demo', [one], full));
  surface.publish(serverView('demo', [one], { ...full, prompts: [] }));
  expect(await heard()).toEqual(both('notifications/prompts/list_changed'));
  caller = restricted('tool_two');
  surface.touch();
  expect(await heard()).toEqual(both('notifications/tools/list_changed'));
});

it('lets go of those whose access ended, though nothing they saw changed', async () => {
  let caller: Caller | undefined = anonymous;
  const { surface, heard } = await listening({ callerOf: () => caller });
  caller = undefined;
  surface.touch();
  expect(await heard()).toEqual(both(null));
});
