import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectApp, makeApp } from '../../support/sign-in/app.ts';
import { agree, PageReader } from '../../support/sign-in/page-reader.ts';
import { RawApp } from '../../support/sign-in/raw-app.ts';
import { ada, type SignInGateway, startSignInGateway } from '../../support/sign-in/sign-in-gateway.ts';

let at: SignInGateway;
beforeAll(async () => {
  at = await startSignInGateway({ clientDocuments: false });
});
afterAll(() => at.stop());

it('an app that could name a document registers where documents are off', async () => {
  const app = makeApp('Either way', { clientMetadataUrl: 'https://app.example.com/client.json' });
  const { client } = await connectApp(`${at.url}/mcp/team`, app, (url) =>
    agree(new PageReader(at.url), url, ada),
  );
  expect(app.kept.client!.client_id).toMatch(/^client_/);
  await client.close();
  const named = new RawApp(at.url);
  named.clientId = 'https://app.example.com/client.json';
  expect((await new PageReader(at.url).open(named.authorizeUrl(`${at.url}/mcp/team`))).status).toBe(400);
});
