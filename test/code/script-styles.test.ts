import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modern, post } from '../support/mcp-surface.ts';
import { type RunningGateway, startGateway } from '../support/running-gateway.ts';
import { serveHttp, type TestServer } from '../support/servers/http-server.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

describe('scripts the way models write them', () => {
  let upstream: TestServer;
  let running: RunningGateway;

  beforeAll(async () => {
    upstream = await serveHttp((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x');
      const json = (status: number, value: unknown, headers: Record<string, string> = {}) =>
        response
          .writeHead(status, { 'content-type': 'application/json', ...headers })
          .end(JSON.stringify(value));
      const page = Number(searchParams.get('page') ?? '1');
      const next = { link: `<${upstream.origin}/issues?page=${page + 1}>; rel="next"` };
      if (pathname === '/issues') json(200, [{ id: page, state: 'open' }], page < 3 ? next : {});
      else if (pathname === '/issues/7') json(200, { id: 7 }, { etag: '"v7"', 'set-cookie': 's=1' });
      else if (pathname === '/broken')
        json(422, { errors: [{ field: 'title', code: 'missing' }] }, { 'x-request-id': 'r1' });
      else if (pathname === '/plain') json(200, { id: 7, name: 'no list' });
      else if (pathname === '/export')
        json(202, { state: 'queued' }, { location: '/export/9', 'retry-after': '5' });
      else if (pathname === '/chart') response.writeHead(200, { 'content-type': 'image/png' }).end(png);
      else json(500, {});
    });
    running = await startGateway({ egressAllow: ['127.0.0.1'] });
    const make = async (path: string, body: object) =>
      expect((await running.admin('POST', path, body)).status).toBe(201);
    await make('/apis', { slug: 'desk', name: 'Desk', baseUrl: upstream.origin });
    const tool = (name: string, method: string, path: string, parameters: object[] = []) =>
      make('/tools', {
        api: 'desk',
        name,
        description: `Does ${name.replaceAll('_', ' ')}.`,
        operation: { method, path, parameters },
      });
    await tool('list_issues', 'GET', '/issues', [{ name: 'page', in: 'query', schema: { type: 'integer' } }]);
    await tool('get_issue', 'GET', '/issues/{id}', [
      { name: 'id', in: 'path', required: true, schema: { type: 'integer' } },
    ]);
    await tool('create_broken', 'POST', '/broken');
    await tool('get_plain', 'GET', '/plain');
    await tool('start_export', 'POST', '/export');
    await tool('get_chart', 'GET', '/chart');
    await tool('delete_issue', 'DELETE', '/issues/{id}', [
      { name: 'id', in: 'path', required: true, schema: { type: 'integer' } },
    ]);
    await make('/servers', {
      slug: 'code',
      name: 'Code',
      tools: '*',
      mode: 'code',
      policy: 'open',
      ratePerMinute: 0,
    });
    await make('/servers', { slug: 'plain', name: 'Plain', tools: '*', mode: 'direct', policy: 'open' });
  });
  afterAll(async () => {
    await running.stop();
    await upstream.close();
  });

  async function call(server: string, name: string, args: object) {
    const { body, headers } = modern('tools/call', { name, arguments: args });
    return (await post(`${running.url}/mcp/${server}`, body, headers)).json.result;
  }
  const textOf = (result: { content: { text?: string }[] }) =>
    result.content.map(({ text }) => text ?? '').join('\n');
  async function run(code: string) {
    const result = await call('code', 'run_code', { code });
    return { isError: result.isError === true, text: textOf(result), content: result.content };
  }

  const count = 'const all = await tools.desk.list_issues({}, { all: true });';

  it.each([
    ['statements with a return', `${count}\nreturn all.length;`],
    ['an async arrow', `async () => {\n  ${count}\n  return all.length;\n}`],
    ['an async arrow with a semicolon', `async () => {\n  ${count}\n  return all.length;\n};`],
    ['an arrow that is called', `(async () => {\n  ${count}\n  return all.length;\n})();`],
    ['an awaited arrow', `return await (async () => {\n  ${count}\n  return all.length;\n})();`],
    ['a default export', `export default async function () {\n  ${count}\n  return all.length;\n}`],
    [
      'a default export with a name',
      `export default async function run() {\n  ${count}\n  return all.length;\n}`,
    ],
    ['a default export of an arrow', `export default async () => {\n  ${count}\n  return all.length;\n};`],
    ['main, called', `async function main() {\n  ${count}\n  return all.length;\n}\nmain();`],
    ['main, awaited', `async function main() {\n  ${count}\n  return all.length;\n}\nawait main();`],
    ['main, not called', `async function main() {\n  ${count}\n  return all.length;\n}`],
    ['main, returned', `const main = async () => {\n  ${count}\n  return all.length;\n};\nreturn main();`],
    ['a Markdown fence', `\`\`\`javascript\n${count}\nreturn all.length;\n\`\`\``],
    ['a fence around an arrow', `\`\`\`ts\nasync () => {\n  ${count}\n  return all.length;\n}\n\`\`\``],
    [
      'TypeScript',
      `interface Issue { id: number }\n${count.replace('all =', 'all: Issue[] =')}\nreturn all.length as number;`,
    ],
    ['text around a fence', `Here is the script:\n\n\`\`\`js\n${count}\nreturn all.length;\n\`\`\`\n`],
    ['promise chains', `return tools.desk.list_issues({}, { all: true }).then((all) => all.length);`],
    [
      'Promise.all',
      `const [all] = await Promise.all([tools.desk.list_issues({}, { all: true })]);\nreturn all.length;`,
    ],
    [
      'a loop over awaited calls',
      `let n = 0;\nfor await (const issue of await tools.desk.list_issues({}, { all: true })) n++;\nreturn n;`,
    ],
  ])('run as %s', async (_style, code) => {
    expect(await run(code)).toMatchObject({ isError: false, text: '3' });
  });

  it.each([
    [
      'an unawaited reply',
      'return tools.desk.list_issues().length;',
      /list_issues\(…\) returns a promise: put await before it/,
    ],
    [
      'an unawaited reply that is looped over',
      'for (const one of tools.desk.list_issues()) print(one);',
      /put await before it/,
    ],
    ['an unawaited reply in a text', 'return `${tools.desk.list_issues()}`;', /put await before it/],
    [
      'an unawaited part of the result',
      'return { issues: tools.desk.list_issues() };',
      /"issues" is a promise: put await before the call/,
    ],
    ['a Map', 'return new Map([[1, 2]]);', /use Object\.fromEntries\(map\)/],
    ['a Set', 'return { ids: new Set([1]) };', /"ids" is a Set.*use \[\.\.\.set\]/],
    ['a module', "import fs from 'node:fs';\nreturn fs;", /import/],
    ['require', "const axios = require('axios');\nreturn axios;", /require/],
    ['fetch', "return await fetch('https://example.com');", /fetch/],
    [
      'every page of no list',
      'return await tools.desk.get_plain({}, { all: true });',
      /has no list whose pages could be gathered: call it without all/,
    ],
    ['a misspelled tool', 'return await tools.desk.list_isues();', /Did you mean list_issues\?|list_issues/],
  ])('fail with a sentence that names the fix for %s', async (_what, code, expected) => {
    const { isError, text } = await run(code);
    expect([isError, text]).toEqual([true, expect.stringMatching(expected)]);
  });

  it('learn that a list has more, in the result and in the script', async () => {
    const { text } = await run(
      'const page = await tools.desk.list_issues();\nreturn { page, more: page.more };',
    );
    expect(text).toMatch(/"more":"\[There are more pages: call again with/);
    expect(text).toMatch(/Printed:\ntools\.desk\.list_issues: \[There are more pages/);
    const capped = await run(
      'const some = await tools.desk.list_issues({}, { all: true, max_items: 2 });\nreturn [some, some.more];',
    );
    expect(capped.text).toMatch(/^\[\[\{"id":1.*"id":2[^\]]*\],"\[2 records of 2 pages: not all/);
    expect(capped.text).toMatch(/Printed:\ntools\.desk\.list_issues: \[2 records/);
    expect(
      (await run('return (await tools.desk.list_issues({}, { all: true })).more ?? "complete";')).text,
    ).toBe('complete');
  });

  it('see the status and headers of a reply', async () => {
    const { text } = await run(
      'return [await tools.desk.get_issue({ id: 7 }, { reply: true }), await tools.desk.start_export({}, { reply: true })];',
    );
    const [issue, started] = JSON.parse(text.split('\nPrinted:')[0]!);
    expect(issue).toMatchObject({ status: 200, headers: { etag: '"v7"' }, data: { id: 7 } });
    expect(issue.headers).not.toHaveProperty('set-cookie');
    expect(started).toMatchObject({
      status: 202,
      headers: { location: '/export/9', 'retry-after': '5' },
      data: { state: 'queued' },
    });
  });

  it('that return nothing are told how to', async () => {
    expect((await run(`${count}\nall.length;`)).text).toBe(
      'The script returned nothing: put return before the value to show.',
    );
  });

  it("see an API's error as data", async () => {
    const { text } = await run(
      'try { await tools.desk.create_broken(); } catch (error) { return { status: error.status, ...error.details }; }',
    );
    expect(JSON.parse(text)).toMatchObject({
      status: 422,
      headers: { 'x-request-id': 'r1' },
      body: { errors: [{ field: 'title', code: 'missing' }] },
    });
  });

  it('hear of a call that failed after they ended without waiting for it', async () => {
    const { text } = await run('tools.desk.create_broken();\nreturn "created";');
    expect(text).toMatch(
      /^created\nPrinted:\ntools\.desk\.create_broken was called without await and failed/,
    );
  });

  it('return an image by its handle, and the model sees it', async () => {
    const { content } = await run('return await tools.desk.get_chart();');
    expect(content).toContainEqual({ type: 'image', data: png.toString('base64'), mimeType: 'image/png' });
  });

  it('are described with the type of all records, and which tools they may not call', async () => {
    const found = textOf(await call('code', 'search_tools', { query: 'delete issue' }));
    expect(found).toMatch(/delete_issue\(.*\(scripts on this server may not call it/);
    expect(
      (await run('return (await search("delete issue")).find(({ name }) => name === "delete_issue").note;'))
        .text,
    ).toMatch(/may not call it/);
  });

  it('leave the ETag of a single thing visible to models that call tools directly', async () => {
    expect(textOf(await call('plain', 'get_issue', { id: 7 }))).toContain('etag: "v7"');
  });
});
