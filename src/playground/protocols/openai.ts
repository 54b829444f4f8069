import { arrayOr, isObject, objectOr, type PlainObject, textOr } from '../../lib/json/plain-object.ts';
import type { AnswerReader, AskedCall, ChatMessage, Protocol, Tokens } from '../messages.ts';
import { answerFailedError, countIn, objectIn, unreadableAnswerError } from './answer-errors.ts';

/** The chat completions API of OpenAI and most other model servers. */
export const openai: Protocol = {
  addressOf(baseUrl) {
    const url = new URL(baseUrl);
    if (!url.pathname.endsWith('/chat/completions'))
      url.pathname = `${url.pathname.replace(/\/$/, '')}/chat/completions`;
    return url.href;
  },

  headersOf: (key) => ({ ...(key !== null && { authorization: `Bearer ${key}` }) }),

  bodyOf: ({ model, maxOutputTokens }, { system, messages, tools }) => ({
    model,
    messages: [...(system === null ? [] : [{ role: 'system', content: system }]), ...messages.map(written)],
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, inputSchema }) => ({
        type: 'function',
        function: { name, description, parameters: inputSchema },
      })),
    }),
    ...(maxOutputTokens !== undefined && { max_completion_tokens: maxOutputTokens }),
    stream: true,
    stream_options: { include_usage: true },
  }),

  reader: (onText) => new OpenAiReader(onText),
};

function written(message: ChatMessage): unknown {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: message.text };
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content: message.text };
    case 'assistant':
      return {
        role: 'assistant',
        content: message.text === '' && message.calls.length > 0 ? null : message.text,
        ...(message.calls.length > 0 && {
          tool_calls: message.calls.map(({ id, name, arguments: args }) => ({
            id,
            type: 'function',
            function: { name, arguments: args },
          })),
        }),
      };
  }
}

interface CallInPieces {
  id: string;
  name: string;
  readonly pieces: string[];
}

const maxCalls = 128;

class OpenAiReader implements AnswerReader {
  readonly #onText: (text: string) => void;
  readonly #text: string[] = [];
  readonly #calls = new Map<number, CallInPieces>();
  #tokens: Tokens | null = null;
  #reason: string | null = null;
  #isDone = false;

  constructor(onText: (text: string) => void) {
    this.#onText = onText;
  }

  get isOver(): boolean {
    return this.#isDone || this.#reason !== null;
  }

  event(_name: string, data: string): void {
    if (data === '[DONE]') {
      this.#isDone = true;
      return;
    }
    const chunk = objectIn(data);
    if (chunk['error'] !== undefined && chunk['error'] !== null) throw answerFailedError(chunk['error']);
    this.#count(chunk['usage']);
    for (const choice of arrayOr(chunk['choices'])) this.#choice(objectOr(choice), 'delta');
  }

  whole(answer: unknown): void {
    const { choices, usage, error } = objectOr(answer);
    if (isObject(error)) throw answerFailedError(error);
    if (arrayOr(choices).length === 0) throw unreadableAnswerError('responded without "choices"');
    this.#count(usage);
    this.#choice(objectOr(arrayOr(choices)[0]), 'message');
    this.#isDone = true;
  }

  answer() {
    return {
      text: this.#text.join(''),
      calls: [...this.#calls.values()].map(({ id, name, pieces }, at): AskedCall => ({
        // Some servers send none.
        id: id === '' ? `call_${at + 1}` : id,
        name,
        arguments: pieces.join(''),
      })),
      tokens: this.#tokens,
      isCut: this.#reason === 'length',
    };
  }

  #choice(choice: PlainObject, part: 'delta' | 'message'): void {
    const { content, refusal, tool_calls: calls } = objectOr(choice[part]);
    for (const text of [content, refusal]) if (typeof text === 'string' && text !== '') this.#say(text);
    arrayOr(calls).forEach((call, at) => this.#call(objectOr(call), at));
    this.#reason = textOr(choice['finish_reason']) ?? this.#reason;
  }

  #say(text: string): void {
    this.#text.push(text);
    this.#onText(text);
  }

  #call(call: PlainObject, at: number): void {
    const index = typeof call['index'] === 'number' ? call['index'] : at;
    const { name, arguments: args } = objectOr(call['function']);
    let known = this.#calls.get(index);
    if (known === undefined) {
      if (this.#calls.size >= maxCalls)
        throw unreadableAnswerError(`asked for more than ${maxCalls} calls in one turn`);
      this.#calls.set(index, (known = { id: '', name: '', pieces: [] }));
    }
    known.id = textOr(call['id']) ?? known.id;
    known.name = textOr(name) ?? known.name;
    if (typeof args === 'string') known.pieces.push(args);
    // Some servers send them as an object instead of text.
    else if (isObject(args)) known.pieces.push(JSON.stringify(args));
  }

  #count(usage: unknown): void {
    const { prompt_tokens: input, completion_tokens: output } = objectOr(usage);
    const read = countIn(input);
    const wrote = countIn(output);
    if (read !== undefined && wrote !== undefined) this.#tokens = { input: read, output: wrote };
  }
}
