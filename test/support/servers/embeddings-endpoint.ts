import { serveHttp } from './http-server.ts';

/** An endpoint of OpenAI's embeddings API, in which meaning is told by words that a test gives. */
export interface EmbeddingsEndpoint {
  readonly url: string;
  readonly host: string;
  /** What it was asked, a list of texts for each request. */
  readonly asked: string[][];
  readonly authorizations: (string | undefined)[];
  /** How it behaves from now on. */
  behave(how: Behaviour): void;
  close(): Promise<void>;
}

type Behaviour =
  | 'answers'
  | 'refuses'
  | 'never answers'
  | { readonly status?: number; readonly body: unknown }
  | { readonly maxTexts: number };

/** `meanings` are groups of words that mean the same: each is a direction of its own. */
export async function startEmbeddings(meanings: readonly (readonly string[])[]): Promise<EmbeddingsEndpoint> {
  const asked: string[][] = [];
  const authorizations: (string | undefined)[] = [];
  let behaviour: Behaviour = 'answers';
  const vectorOf = (text: string) => [
    0.01,
    ...meanings.map((words) => words.filter((word) => text.toLowerCase().includes(word)).length),
  ];
  const server = await serveHttp((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { input } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { input: string[] };
      asked.push(input);
      authorizations.push(request.headers.authorization);
      if (behaviour === 'never answers') return;
      const answer = (status: number, body: unknown) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      if (behaviour === 'refuses') return void answer(503, { error: { message: 'overloaded' } });
      if (typeof behaviour === 'object' && 'body' in behaviour)
        return void answer(behaviour.status ?? 200, behaviour.body);
      if (typeof behaviour === 'object' && input.length > behaviour.maxTexts)
        return void answer(400, { error: { message: 'too many' } });
      const data = input.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) }));
      // In any order: the index tells which is which.
      return void answer(200, { object: 'list', data: data.toReversed() });
    });
  });
  const { host } = new URL(server.origin);
  return {
    url: `http://${host}/v1`,
    host,
    asked,
    authorizations,
    behave(how) {
      behaviour = how;
    },
    close: () => server.close(),
  };
}
