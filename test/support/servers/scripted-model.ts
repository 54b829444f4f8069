import type { IncomingMessage, ServerResponse } from 'node:http';
import { serveHttp } from './http-server.ts';

/** What a scripted model does when it is asked once. */
export interface ScriptedTurn {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly arguments: unknown }[];
  readonly tokens?: { readonly input: number; readonly output: number };
  /** An answer with another status than 200. */
  readonly refuses?: {
    readonly status: number;
    readonly body: unknown;
    readonly headers?: Record<string, string>;
  };
  /** How the stream ends: as it should unless said; `hangs` waits until whoever asked goes away. */
  readonly ends?: 'broken off' | 'malformed' | 'with an error' | 'hangs' | 'as a document';
}

/** What a scripted model was asked. */
export interface ModelQuestion {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly system: string;
  /** What was said, in the words of neither protocol: `user: …`, `assistant: …`, `tool: …`. */
  readonly said: readonly string[];
  readonly tools: readonly string[];
  readonly body: Readonly<Record<string, unknown>>;
  /** Which turn it is since the plan was given, from 0. */
  readonly turn: number;
}

/** The plan: what to do when asked. */
export type ModelPlan = readonly ScriptedTurn[] | ((question: ModelQuestion) => ScriptedTurn);

/** An endpoint that speaks chat completions and messages, and follows a plan instead of a model. */
export interface ScriptedModel {
  /** The base URL for either protocol. */
  readonly url: string;
  readonly host: string;
  readonly asked: ModelQuestion[];
  /** Resolves when a stream was left by whoever asked for it. */
  readonly left: Promise<void>;
  follow(plan: ModelPlan): void;
  close(): Promise<void>;
}

/** Starts it on a free port. With a key, whoever has another is refused. */
export async function startScriptedModel(key?: string): Promise<ScriptedModel> {
  const asked: ModelQuestion[] = [];
  let plan: ModelPlan = [{ text: 'Hello.' }];
  let turn = 0;
  let leave = () => {};
  const left = new Promise<void>((resolve) => (leave = resolve));

  const server = await serveHttp((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const question = readQuestion(request, Buffer.concat(chunks).toString('utf8'), turn);
      asked.push(question);
      if (key !== undefined && keyIn(request) !== key) {
        const words = `Incorrect API key provided: ${keyIn(request) ?? ''}`;
        sendJson(response, 401, { error: { message: words, type: 'invalid_request_error' } });
        return;
      }
      const next = typeof plan === 'function' ? plan(question) : plan[Math.min(turn, plan.length - 1)]!;
      turn++;
      response.on('close', () => {
        if (!response.writableFinished) leave();
      });
      const isMessages = question.path.endsWith('/messages');
      if (next.refuses !== undefined)
        sendJson(response, next.refuses.status, next.refuses.body, next.refuses.headers);
      else if (next.ends === 'as a document')
        sendJson(response, 200, isMessages ? messageOf(next, turn) : completionOf(next, turn));
      else play(response, isMessages ? messageEvents(next, turn) : completionEvents(next, turn), next.ends);
    });
  });
  const { host } = new URL(server.origin);
  return {
    url: `${server.origin}/v1`,
    host,
    asked,
    left,
    follow(next) {
      plan = next;
      turn = 0;
    },
    close: () => server.close(),
  };
}

function keyIn({ headers }: IncomingMessage): string | undefined {
  const own = headers['x-api-key'];
  return typeof own === 'string' ? own : headers.authorization?.replace('Bearer ', '');
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

type Block = { readonly type: string; readonly text?: string; readonly content?: unknown };

function readQuestion(request: IncomingMessage, text: string, turn: number): ModelQuestion {
  const body = JSON.parse(text) as {
    system?: string;
    messages: { role: string; content: string | null | Block[] }[];
    tools?: { name?: string; function?: { name: string } }[];
  };
  const words = (content: string | null | Block[]): string =>
    Array.isArray(content)
      ? content
          .map((block) => block.text ?? (typeof block.content === 'string' ? block.content : ''))
          .join(' ')
      : (content ?? '');
  const said = body.messages.map(({ role, content }) => {
    const isReply = Array.isArray(content) && content.some(({ type }) => type === 'tool_result');
    return `${isReply ? 'tool' : role}: ${words(content)}`;
  });
  return {
    path: request.url!,
    headers: request.headers,
    system: body.system ?? said.find((line) => line.startsWith('system: '))?.slice(8) ?? '',
    said: said.filter((line) => !line.startsWith('system: ')),
    tools: (body.tools ?? []).map((tool) => tool.function?.name ?? tool.name ?? ''),
    body,
    turn,
  };
}

function play(response: ServerResponse, events: readonly string[], ends: ScriptedTurn['ends']): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  if (ends === undefined) {
    // In small pieces that end anywhere, also within a character.
    const bytes = Buffer.from(events.join(''));
    for (let at = 0; at < bytes.length; at += 37) response.write(bytes.subarray(at, at + 37));
    response.end();
    return;
  }
  response.write(events.slice(0, -3).join(''));
  if (ends === 'malformed') response.end('data: {"choices": [oops\n\n');
  else if (ends === 'with an error')
    response.end(
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
    );
  else if (ends === 'broken off') response.end();
}

function wordsOf(text: string): string[] {
  return text.match(/\S+\s*/g) ?? [];
}

const usageOf = ({ tokens = { input: 100, output: 10 } }: ScriptedTurn) => tokens;

function completionEvents(turn: ScriptedTurn, number: number): string[] {
  const chunk = (delta: unknown, finish: string | null = null, usage?: unknown) =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }], ...(usage !== undefined && { usage }) })}\n\n`;
  const calls = turn.calls ?? [];
  const { input, output } = usageOf(turn);
  return [
    chunk({ role: 'assistant', content: '' }),
    ...wordsOf(turn.text ?? '').map((content) => chunk({ content })),
    ...calls.flatMap(({ name, arguments: args }, index) => {
      const text = typeof args === 'string' ? args : JSON.stringify(args);
      const half = Math.ceil(text.length / 2);
      return [
        chunk({
          tool_calls: [
            { index, id: `call_${number}_${index}`, type: 'function', function: { name, arguments: '' } },
          ],
        }),
        ...[text.slice(0, half), text.slice(half)].map((piece) =>
          chunk({ tool_calls: [{ index, function: { arguments: piece } }] }),
        ),
      ];
    }),
    chunk({}, calls.length > 0 ? 'tool_calls' : 'stop'),
    `data: ${JSON.stringify({ id: 'c', choices: [], usage: { prompt_tokens: input, completion_tokens: output } })}\n\n`,
    'data: [DONE]\n\n',
  ];
}

function completionOf(turn: ScriptedTurn, number: number): unknown {
  const { input, output } = usageOf(turn);
  return {
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: turn.text ?? null,
          tool_calls: (turn.calls ?? []).map(({ name, arguments: args }, index) => ({
            id: `call_${number}_${index}`,
            type: 'function',
            function: { name, arguments: JSON.stringify(args) },
          })),
        },
        finish_reason: 'stop',
      },
    ],
    usage: { prompt_tokens: input, completion_tokens: output },
  };
}

function messageEvents(turn: ScriptedTurn, number: number): string[] {
  const event = (type: string, rest: object) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
  const calls = turn.calls ?? [];
  const { input, output } = usageOf(turn);
  const first = turn.text === undefined ? 0 : 1;
  return [
    event('message_start', {
      message: { role: 'assistant', usage: { input_tokens: input, output_tokens: 1 } },
    }),
    event('ping', {}),
    ...(turn.text === undefined
      ? []
      : [
          event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
          ...wordsOf(turn.text).map((text) =>
            event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
          ),
          event('content_block_stop', { index: 0 }),
        ]),
    ...calls.flatMap(({ name, arguments: args }, at) => {
      const text = typeof args === 'string' ? args : JSON.stringify(args);
      const half = Math.ceil(text.length / 2);
      const index = first + at;
      return [
        event('content_block_start', {
          index,
          content_block: { type: 'tool_use', id: `toolu_${number}_${at}`, name, input: {} },
        }),
        ...[text.slice(0, half), text.slice(half)].map((piece) =>
          event('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json: piece } }),
        ),
        event('content_block_stop', { index }),
      ];
    }),
    event('message_delta', {
      delta: { stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn' },
      usage: { output_tokens: output },
    }),
    event('message_stop', {}),
  ];
}

function messageOf(turn: ScriptedTurn, number: number): unknown {
  const { input, output } = usageOf(turn);
  return {
    role: 'assistant',
    content: [
      ...(turn.text === undefined ? [] : [{ type: 'text', text: turn.text }]),
      ...(turn.calls ?? []).map(({ name, arguments: args }, at) => ({
        type: 'tool_use',
        id: `toolu_${number}_${at}`,
        name,
        input: args,
      })),
    ],
    stop_reason: 'end_turn',
    usage: { input_tokens: input, output_tokens: output },
  };
}
