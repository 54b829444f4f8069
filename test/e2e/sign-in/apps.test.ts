import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectApp, makeApp } from '../../support/sign-in/app.ts';
import { agree, PageReader } from '../../support/sign-in/page-reader.ts';
import { ada, type SignInGateway, startSignInGateway } from '../../support/sign-in/sign-in-gateway.ts';

let at: SignInGateway;
beforeAll(async () => {
  at = await startSignInGateway();
});
afterAll(() => at.stop());

describe('an app that was never configured', () => {
  it('registers, signs a person in, lists and calls', async () => {
    const app = makeApp();
    const browser = new PageReader(at.url);
    const { client } = await connectApp(`${at.url}/mcp/team`, app, (url) => agree(browser, url, ada));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['list_orders', 'get_order', 'create_order', 'delete_order']),
    );
    expect((await client.callTool({ name: 'list_orders', arguments: {} })).isError).toBeFalsy();
    expect(app.kept.tokens).toMatchObject({
      token_type: 'Bearer',
      refresh_token: expect.any(String) as unknown,
    });
    await client.close();
  });
});
