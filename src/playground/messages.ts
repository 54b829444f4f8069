/** A call of a tool as a model asks for it. */
export interface AskedCall {
  readonly id: string;
  readonly name: string;
  /** JSON, as the model wrote it. */
  readonly arguments: string;
}

/** One message of a conversation, in neither protocol's words. */
export type ChatMessage =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly AskedCall[] }
  | {
      readonly role: 'tool';
      readonly callId: string;
      readonly name: string;
      readonly text: string;
      readonly failed: boolean;
    };

/** A tool as a model is told of it. */
export interface ToldTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** Tokens that a model read and wrote. */
export interface Tokens {
  readonly input: number;
  readonly output: number;
}

/** What a model is asked in one turn. */
export interface Turn {
  readonly system: string | null;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToldTool[];
}

/** What it answered. */
export interface Answer {
  readonly text: string;
  readonly calls: readonly AskedCall[];
  /** As whoever serves the model counted them; null when that was not told. */
  readonly tokens: Tokens | null;
  /** Whether it was cut because it became too long. */
  readonly isCut: boolean;
}

/** Reads the answer to one turn while it comes. What cannot be read throws a HandrailError that says so. */
export interface AnswerReader {
  /** Takes one server-sent event. */
  event(name: string, data: string): void;
  /** Takes an answer that came whole, though a stream was asked for. */
  whole(answer: unknown): void;
  /** Whether the end of the answer has come. */
  readonly isOver: boolean;
  answer(): Answer;
}

/** How models are asked in one protocol. */
export interface Protocol {
  /** The address below what an operator entered. */
  addressOf(baseUrl: string): string;
  headersOf(key: string | null): Readonly<Record<string, string>>;
  /** The body of a request that asks for a stream. */
  bodyOf(model: { readonly model: string; readonly maxOutputTokens?: number }, turn: Turn): unknown;
  reader(onText: (text: string) => void): AnswerReader;
}
