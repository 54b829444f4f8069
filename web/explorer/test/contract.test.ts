import { afterEach, describe, expect, it } from 'vitest';
import type { Tool, ToolCallHandler, ToolsProvider, UIConfig } from '../dist/index.js';
import { entryPoints } from './support/entry-points.ts';
import type { EntryPoint } from './support/entry-points.ts';

const echo: Tool = {
  name: 'echo',
  description: 'Says it back',
  inputSchema: {
    type: 'object',
    properties: { text: { type: 'string' }, times: { type: 'integer' } },
    required: ['text'],
  },
  annotations: { readOnlyHint: true },
};
const plain: Tool = {
  name: 'plain',
  description: 'No annotations',
  inputSchema: { type: 'object' },
  annotations: null,
};
const tools: Tool[] = [echo, plain];

const sayBack: ToolCallHandler = async (name, args) => [
  [{ type: 'text', text: `${name} ${JSON.stringify(args)}` }],
  false,
  't-1',
];

for (const [entryPoint, open] of Object.entries(entryPoints)) {
  describe(`through ${entryPoint}`, () => {
    const opened: EntryPoint[] = [];
    const reported: unknown[] = [];
    afterEach(async () => {
      reported.length = 0;
      await Promise.all(opened.splice(0).map((entry) => entry.close()));
    });

    async function mount(config: UIConfig = {}, handleCall = sayBack, provider: ToolsProvider = tools) {
      const entry = await open(provider, handleCall, {
        allowExecute: true,
        onError: (error) => reported.push(error),
        ...config,
      });
      opened.push(entry);
      return {
        get: (path: string) => entry.ask(path),
        post: (path: string, body?: unknown, headers: Record<string, string> = {}) =>
          entry.ask(path, {
            method: 'POST',
            headers,
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          }),
        postText: (path: string, body: string) => entry.ask(path, { method: 'POST', body }),
      };
    }

    describe('listing', () => {
      it('lists name, description and annotations if any', async () => {
        const answer = await (await mount()).get('/tools');
        expect(answer.status).toBe(200);
        expect(answer.headers.get('content-type')).toBe('application/json');
        expect(await answer.json()).toEqual([
          { name: 'echo', description: 'Says it back', annotations: { readOnlyHint: true } },
          { name: 'plain', description: 'No annotations' },
        ]);
      });

      it('shows one tool with its schema', async () => {
        const answer = await (await mount()).get('/tools/plain');
        expect(await answer.json()).toEqual({
          name: 'plain',
          description: 'No annotations',
          inputSchema: { type: 'object' },
        });
      });

      it('shows title and output schema only if a tool has them', async () => {
        const richer = { ...plain, title: 'Plain', outputSchema: { type: 'object' } };
        const answer = await (await mount({}, sayBack, [richer])).get('/tools/plain');
        expect(await answer.json()).toMatchObject({ title: 'Plain', outputSchema: { type: 'object' } });
      });

      it('answers 404 with the decoded name', async () => {
        const answer = await (await mount()).get('/tools/no%20such%2Ftool');
        expect(answer.status).toBe(404);
        expect(await answer.json()).toEqual({ error: 'Tool not found: no such/tool' });
      });

      it.each([
        ['an array', tools],
        ['a function', () => tools],
        ['an async function', async () => tools],
      ])('takes the tools from %s', async (_kind, provider) => {
        expect(await (await (await mount({}, sayBack, provider)).get('/tools')).json()).toHaveLength(2);
      });

      it('calls a tools function on each request', async () => {
        let asked = 0;
        const growing = () => tools.slice(0, ++asked);
        const { get } = await mount({}, sayBack, growing);
        expect(await (await get('/tools')).json()).toHaveLength(1);
        expect(await (await get('/tools')).json()).toHaveLength(2);
      });

      it('answers 500 without the reason when the tools cannot be listed', async () => {
        const { get, post } = await mount({}, sayBack, () => {
          throw new Error('secret database path');
        });
        for (const answer of [
          await get('/tools'),
          await get('/tools/echo'),
          await post('/tools/echo/call', {}),
        ]) {
          expect(answer.status).toBe(500);
          expect(await answer.text()).not.toContain('secret');
        }
        expect(reported).toHaveLength(3);
      });
    });

    describe('calling', () => {
      it('runs nothing unless execution is enabled', async () => {
        const { post } = await mount({ allowExecute: undefined } as unknown as UIConfig);
        for (const path of ['/tools/echo/call', '/tools/unknown/call']) {
          const answer = await post(path, {});
          expect(answer.status).toBe(403);
          expect(await answer.json()).toEqual({ error: 'Tool execution is disabled.' });
        }
      });

      it('returns 404 before it calls the hook', async () => {
        const { post } = await mount({
          authHook: () => {
            throw new Error('no');
          },
        });
        const answer = await post('/tools/nope/call', {});
        expect(answer.status).toBe(404);
        expect(await answer.json()).toEqual({ error: 'Tool not found: nope' });
      });

      it('answers 200 with content, isError and the trace id', async () => {
        const answer = await (await mount()).post('/tools/echo/call', { text: 'hi' });
        expect(answer.status).toBe(200);
        expect(await answer.json()).toEqual({
          content: [{ type: 'text', text: 'echo {"text":"hi"}' }],
          isError: false,
          _meta: { _trace_id: 't-1' },
        });
      });

      it.each([['{"text":'], ['[1,2]'], ['"text"'], ['null'], ['7'], ['']])(
        'takes the body %j as no arguments',
        async (body) => {
          const answer = await (await mount()).postText('/tools/plain/call', body);
          expect(await answer.json()).toMatchObject({ content: [{ text: 'plain {}' }] });
        },
      );

      it('treats a missing body as no arguments', async () => {
        const answer = await (await mount()).post('/tools/plain/call');
        expect(await answer.json()).toMatchObject({ content: [{ text: 'plain {}' }] });
      });

      it('leaves validating arguments to the handler', async () => {
        const answer = await (await mount()).post('/tools/echo/call', { text: 42 });
        expect(answer.status).toBe(200);
      });

      it('returns 500 with the same shape when the tool reports an error', async () => {
        const { post } = await mount({}, async () => [[{ type: 'text', text: 'no such city' }], true]);
        const answer = await post('/tools/echo/call', {});
        expect(answer.status).toBe(500);
        expect(await answer.json()).toEqual({
          content: [{ type: 'text', text: 'no such city' }],
          isError: true,
        });
      });

      it.each([
        [503, '503'],
        [undefined, null],
        ['503\r\nx: y', null],
      ])('reports the API status %j in a header, not in the body', async (upstream, header) => {
        const { post } = await mount({}, async () => [[], true, 't-1', upstream as number]);
        const answer = await post('/tools/echo/call', {});
        expect(answer.status).toBe(500);
        expect(answer.headers.get('x-upstream-status')).toBe(header);
        expect(await answer.json()).toEqual({ content: [], isError: true, _meta: { _trace_id: 't-1' } });
      });

      it.each([
        ['rejects', async () => Promise.reject(new Error('broken pipe')), 'broken pipe'],
        [
          'throws at once',
          () => {
            throw new Error('broken pipe');
          },
          'broken pipe',
        ],
        [
          'throws a string',
          () => {
            throw 'plain words';
          },
          'plain words',
        ],
        [
          'returns no tuple',
          (() => undefined) as unknown as ToolCallHandler,
          'the tool handler must return [content, isError, traceId?]',
        ],
      ])('answers 500 with the message when the handler %s', async (_how, handler, message) => {
        const { post } = await mount({}, handler as ToolCallHandler);
        const answer = await post('/tools/echo/call', {});
        expect(answer.status).toBe(500);
        expect(await answer.json()).toEqual({ content: [{ type: 'text', text: message }], isError: true });
        expect(reported).toHaveLength(1);
      });

      it('answers 500 when the content cannot be written as JSON', async () => {
        const { post } = await mount({}, async () => [
          [{ type: 'text', text: 1n as unknown as string }],
          false,
        ]);
        const answer = await post('/tools/echo/call', {});
        expect(answer.status).toBe(500);
        expect(await answer.json()).toMatchObject({ isError: true });
      });

      it.each([[null], [''], [undefined], [7]])(
        'leaves _meta out when the trace id is %j',
        async (traceId) => {
          const { post } = await mount({}, async () => [[], false, traceId as string]);
          expect(await (await post('/tools/echo/call', {})).json()).toEqual({ content: [], isError: false });
        },
      );

      it('passes the request to a handler with three parameters', async () => {
        const handler: ToolCallHandler = async (_name, _args, request) => [
          [{ type: 'text', text: String(request.headers['x-user']) }],
          false,
        ];
        const { post } = await mount({}, handler);
        expect(await (await post('/tools/echo/call', {}, { 'X-User': 'ada' })).json()).toMatchObject({
          content: [{ text: 'ada' }],
        });
      });

      it('passes two arguments to a handler with rest parameters', async () => {
        const handler = (async (...given: unknown[]) => [
          [{ type: 'text', text: String(given.length) }],
          false,
        ]) as unknown as ToolCallHandler;
        const { post } = await mount({}, handler);
        expect(await (await post('/tools/echo/call', {})).json()).toMatchObject({ content: [{ text: '2' }] });
      });
    });

    describe('the hook', () => {
      const rejections: [string, UIConfig['authHook']][] = [
        [
          'throws',
          () => {
            throw new Error('token of db at /etc/secret is bad');
          },
        ],
        ['rejects', async () => Promise.reject(new Error('token of db at /etc/secret is bad'))],
        ['neither answers nor goes on', (async () => undefined) as unknown as UIConfig['authHook']],
        [
          'throws after the call',
          async (_request, next) => {
            await next();
            throw new Error('/etc/secret');
          },
        ],
      ];

      it.each(rejections)('answers 401 and nothing else when it %s', async (_how, authHook) => {
        const { post } = await mount({ authHook: authHook as NonNullable<typeof authHook> });
        const answer = await post('/tools/echo/call', {});
        expect(answer.status).toBe(401);
        expect(answer.headers.get('content-type')).toBe('application/json');
        expect(await answer.text()).toBe('{"error":"Unauthorized"}');
      });

      it('never lets a rejected call reach the tool', async () => {
        let ran = false;
        const { post } = await mount(
          { authHook: async () => Promise.reject(new Error('no')) },
          async () => ((ran = true), [[], false]),
        );
        await post('/tools/echo/call', {});
        expect(ran).toBe(false);
        expect(reported).toHaveLength(1);
      });

      it('can return its own response', async () => {
        const authHook = () => new Response('pay first', { status: 402, headers: { 'x-price': '3' } });
        const answer = await (await mount({ authHook })).post('/tools/echo/call', {});
        expect([answer.status, answer.headers.get('x-price'), await answer.text()]).toEqual([
          402,
          '3',
          'pay first',
        ]);
      });

      it('lets the call through with next', async () => {
        const { post } = await mount({
          authHook: async (request, next) => {
            if (request.headers['authorization'] !== 'Bearer good') throw new Error('bad token');
            return next();
          },
        });
        expect((await post('/tools/echo/call', {}, { Authorization: 'Bearer good' })).status).toBe(200);
        expect((await post('/tools/echo/call', {}, { Authorization: 'Bearer bad' })).status).toBe(401);
      });

      it('runs the tool once however often next is called', async () => {
        let runs = 0;
        const { post } = await mount(
          {
            authHook: async (_request, next) => {
              await next();
              return next();
            },
          },
          async () => (runs++, [[], false]),
        );
        expect((await post('/tools/echo/call', {})).status).toBe(200);
        expect(runs).toBe(1);
      });

      it('guards calls only', async () => {
        const { get, post } = await mount({
          authHook: () => {
            throw new Error('no');
          },
        });
        for (const path of ['/', '/tools', '/tools/echo']) expect((await get(path)).status).toBe(200);
        expect((await post('/tools/echo/validate', { text: 'x' })).status).toBe(200);
      });
    });

    describe('validating', () => {
      it('returns valid and nothing else', async () => {
        const answer = await (
          await mount({ allowExecute: false })
        ).post('/tools/echo/validate', { text: 'x' });
        expect([answer.status, await answer.text()]).toEqual([200, '{"valid":true}']);
      });

      it('lists path, message and keyword of each failure, never running the tool', async () => {
        let ran = false;
        const { post } = await mount({}, async () => ((ran = true), [[], false]));
        const answer = await post('/tools/echo/validate', { times: 'x' });
        expect(answer.status).toBe(200);
        expect(await answer.json()).toEqual({
          valid: false,
          errors: [
            { path: '', message: "must have required property 'text'", keyword: 'required' },
            { path: '/times', message: 'must be integer', keyword: 'type' },
          ],
        });
        expect(ran).toBe(false);
      });

      it('answers 400 for a body that is not JSON', async () => {
        const answer = await (await mount()).postText('/tools/echo/validate', '{nope');
        expect(answer.status).toBe(400);
        expect(await answer.json()).toMatchObject({
          valid: false,
          errors: [{ path: '', keyword: 'format' }],
        });
      });

      it('treats a missing body as no arguments', async () => {
        expect(await (await (await mount()).post('/tools/plain/validate')).json()).toEqual({ valid: true });
        expect(await (await (await mount()).post('/tools/echo/validate')).json()).toMatchObject({
          valid: false,
        });
      });

      it('answers 404 for an unknown tool, whatever the body', async () => {
        expect((await (await mount()).postText('/tools/nope/validate', '{nope')).status).toBe(404);
      });

      it('validates JSON that is not an object as it is', async () => {
        const answer = await (await mount()).postText('/tools/echo/validate', '[1]');
        expect(await answer.json()).toEqual({
          valid: false,
          errors: [{ path: '', message: 'must be object', keyword: 'type' }],
        });
      });
    });

    it.each([
      ['a/b'],
      ['a.b'],
      ['100%'],
      ['%2F'],
      ['日本語'],
      ['a b'],
      ['a+b'],
      ['q?x=1#y'],
      ["it's"],
      ['__proto__'],
      ['café'],
      ['a\\b'],
      ['@scope/tool:v1'],
    ])('serves the tool named %j', async (name) => {
      const { get, post } = await mount({}, sayBack, [{ ...plain, name }]);
      const path = `/tools/${encodeURIComponent(name)}`;
      expect(await (await get(path)).json()).toMatchObject({ name });
      expect(await (await post(`${path}/call`, {})).json()).toMatchObject({
        content: [{ text: `${name} {}` }],
      });
      expect(await (await post(`${path}/validate`, {})).json()).toEqual({ valid: true });
    });

    it('bounds the size of a body', async () => {
      const { post } = await mount({ maxBodyBytes: 100 });
      for (const action of ['call', 'validate']) {
        const answer = await post(`/tools/echo/${action}`, { text: 'x'.repeat(200_000) });
        expect(answer.status).toBe(413);
        expect(await answer.json()).toEqual({ error: 'The request body is larger than 100 bytes.' });
      }
    });

    it('bounds the depth of a body', async () => {
      const { postText } = await mount();
      const body = `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
      expect((await postText('/tools/plain/call', body)).status).toBe(413);
      const answer = await postText('/tools/plain/validate', body);
      expect([answer.status, await answer.json()]).toMatchObject([
        200,
        { valid: false, errors: [{ keyword: 'depth' }] },
      ]);
    });

    it('rejects requests from pages of other sites', async () => {
      const answer = await (await mount()).post('/tools/echo/call', {}, { 'Sec-Fetch-Site': 'cross-site' });
      expect(answer.status).toBe(403);
    });
  });
}
