import { isObject, objectOr, textOr } from '../../lib/json/plain-object.ts';
import type { Answer, AnswerReader, AskedCall, ChatMessage, Protocol } from '../messages.ts';
import { answerFailedError, countIn, objectIn, unreadableAnswerError } from './answer-errors.ts';

// The protocol requires a limit.
const defaultOutputTokens = 8_192;

/** Anthropic's Messages API. */
export const anthropic: Protocol = {
  addressOf(baseUrl) {
    const url = new URL(baseUrl);
    const path = url.pathname.replace(/\/$/, '');
    if (!path.endsWith('/messages')) url.pathname = `${path}${path.endsWith('/v1') ? '' : '/v1'}/messages`;
    return url.href;
  },

  headersOf: (key) => ({
    'anthropic-version': '2023-06-01',
    ...(key !== null && { 'x-api-key': key }),
  }),

  bodyOf: ({ model, maxOutputTokens }, { system, messages, tools }) => ({
    model,
    max_tokens: maxOutputTokens ?? defaultOutputTokens,
    ...(system !== null && { system }),
    messages: alternating(messages),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, inputSchema }) => ({
        name,
        description,
        input_schema: inputSchema,
      })),
    }),
    stream: true,
  }),

  reader: (onText) => new AnthropicReader(onText),
};

interface WrittenMessage {
  readonly role: 'user' | 'assistant';
  readonly content: unknown[];
}

/** User and assistant must alternate; tool results are part of user messages. */
function alternating(messages: readonly ChatMessage[]): WrittenMessage[] {
  const turns: WrittenMessage[] = [];
  for (const message of messages) {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const blocks = blocksOf(message);
    if (blocks.length === 0) continue;
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else turns.push({ role, content: blocks });
  }
  return turns;
}

function blocksOf(message: ChatMessage): unknown[] {
  switch (message.role) {
    case 'user':
      return [{ type: 'text', text: message.text }];
    case 'tool':
      return [
        {
          type: 'tool_result',
          tool_use_id: message.callId,
          content: message.text,
          ...(message.failed && { is_error: true }),
        },
      ];
    case 'assistant':
      return [
        ...(message.text === '' ? [] : [{ type: 'text', text: message.text }]),
        ...message.calls.map(({ id, name, arguments: args }) => ({
          type: 'tool_use',
          id,
          name,
          input: inputOf(args),
        })),
      ];
  }
}

// Arguments that aren't valid JSON cannot be sent back verbatim.
function inputOf(args: string): unknown {
  try {
    return objectOr(JSON.parse(args === '' ? '{}' : args));
  } catch {
    return {};
  }
}

interface CallInPieces {
  readonly id: string;
  readonly name: string;
  readonly pieces: string[];
  readonly initialInput: unknown;
}

const maxCalls = 128;

class AnthropicReader implements AnswerReader {
  readonly #onText: (text: string) => void;
  readonly #text: string[] = [];
  readonly #calls = new Map<unknown, CallInPieces>();
  #input: number | undefined;
  #output: number | undefined;
  #reason: string | null = null;
  isOver = false;

  constructor(onText: (text: string) => void) {
    this.#onText = onText;
  }

  event(_name: string, data: string): void {
    const event = objectIn(data);
    switch (event['type']) {
      case 'message_start':
        this.#count(objectOr(event['message'])['usage']);
        break;
      case 'content_block_start':
        this.#startBlock(event['index'], event['content_block']);
        break;
      case 'content_block_delta':
        this.#append(event['index'], event['delta']);
        break;
      case 'message_delta':
        this.#reason = textOr(objectOr(event['delta'])['stop_reason']) ?? this.#reason;
        this.#count(event['usage']);
        break;
      case 'message_stop':
        this.isOver = true;
        break;
      case 'error':
        throw answerFailedError(event['error']);
      default:
      // Other events, such as pings, don't affect the answer.
    }
  }

  whole(answer: unknown): void {
    const { content, usage, stop_reason: reason, error } = objectOr(answer);
    if (isObject(error)) throw answerFailedError(error);
    if (!Array.isArray(content)) throw unreadableAnswerError('responded without "content"');
    content.forEach((block: unknown, at) => this.#startBlock(at, block));
    this.#count(usage);
    this.#reason = textOr(reason) ?? null;
    this.isOver = true;
  }

  answer(): Answer {
    return {
      text: this.#text.join(''),
      calls: [...this.#calls.values()].map(({ id, name, pieces, initialInput }): AskedCall => ({
        id,
        name,
        arguments: pieces.length > 0 ? pieces.join('') : JSON.stringify(initialInput ?? {}),
      })),
      tokens:
        this.#input === undefined || this.#output === undefined
          ? null
          : { input: this.#input, output: this.#output },
      isCut: this.#reason === 'max_tokens',
    };
  }

  #startBlock(index: unknown, value: unknown): void {
    const block = objectOr(value);
    if (block['type'] === 'text') this.#say(block['text']);
    if (block['type'] !== 'tool_use') return;
    const id = textOr(block['id']);
    const name = textOr(block['name']);
    if (id === undefined || name === undefined)
      throw unreadableAnswerError('asked for a call without a name');
    if (this.#calls.size >= maxCalls)
      throw unreadableAnswerError(`asked for more than ${maxCalls} calls in one turn`);
    this.#calls.set(index, { id, name, pieces: [], initialInput: block['input'] });
  }

  #append(index: unknown, value: unknown): void {
    const delta = objectOr(value);
    if (delta['type'] === 'text_delta') this.#say(delta['text']);
    const { partial_json: piece } = delta;
    if (delta['type'] === 'input_json_delta' && typeof piece === 'string')
      this.#calls.get(index)?.pieces.push(piece);
  }

  #say(text: unknown): void {
    if (typeof text !== 'string' || text === '') return;
    this.#text.push(text);
    this.#onText(text);
  }

  // Cached tokens were read as well.
  #count(usage: unknown): void {
    const counts = objectOr(usage);
    const read = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'].map((name) =>
      countIn(counts[name]),
    );
    if (read.some((count) => count !== undefined))
      this.#input = read.reduce<number>((sum, count) => sum + (count ?? 0), 0);
    this.#output = countIn(counts['output_tokens']) ?? this.#output;
  }
}
