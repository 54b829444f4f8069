import {
  Client,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';

/** What an app keeps of its sign-in, and the address it would open in a browser. */
export interface TestApp extends OAuthClientProvider {
  readonly kept: {
    client?: OAuthClientInformationMixed;
    tokens?: OAuthTokens;
    verifier?: string;
    opened?: URL;
    opens: number;
  };
}

/** An app as the SDK's client sees it: it registers itself, or names its metadata document. */
export function makeApp(name = 'Test app', more: Partial<OAuthClientProvider> = {}): TestApp {
  const kept: TestApp['kept'] = { opens: 0 };
  return {
    kept,
    redirectUrl: 'http://127.0.0.1:7001/callback',
    clientMetadata: { client_name: name, redirect_uris: ['http://127.0.0.1:7001/callback'] },
    clientInformation: () => kept.client,
    saveClientInformation: (client) => void (kept.client = client),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void (kept.tokens = tokens),
    redirectToAuthorization(url) {
      kept.opened = url;
      kept.opens++;
    },
    saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
    codeVerifier: () => kept.verifier!,
    ...more,
  };
}

/** Connects the SDK's client, signing in as `signIn` does when it is asked to. */
export async function connectApp(
  url: string,
  app: TestApp,
  signIn: (authorizationUrl: URL) => Promise<URL>,
): Promise<{ readonly client: Client; readonly transport: StreamableHTTPClientTransport }> {
  const connect = async () => {
    const client = new Client({ name: 'test app', version: '1' });
    const transport = new StreamableHTTPClientTransport(new URL(url), { authProvider: app });
    try {
      await client.connect(transport);
      return { client, transport };
    } catch (error) {
      if (!(error instanceof UnauthorizedError)) throw error;
      const back = await signIn(app.kept.opened!);
      await transport.finishAuth(back.searchParams);
      return null;
    }
  };
  return (await connect()) ?? (await connect())!;
}
