/** A tool call requested by a model. */
export interface AskedCall {
  readonly id: string;
  readonly name: string;
  /** JSON, as the model wrote it. */
  readonly arguments: string;
}

/** One message of a conversation, independent of the protocol. */
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

/** A tool as described to a model. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** Tokens that a model read and wrote. */
export interface Tokens {
  readonly input: number;
  readonly output: number;
}

/** The input of a model for one turn. */
export interface Turn {
  readonly system: string | null;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ModelTool[];
}

/** A model's answer to one turn. */
export interface Answer {
  readonly text: string;
  readonly calls: readonly AskedCall[];
  /** As counted by the endpoint; null if it didn't report them. */
  readonly tokens: Tokens | null;
  /** Whether it was cut because it was too long. */
  readonly isCut: boolean;
}

/** Reads the streamed answer to one turn. Throws a HandrailError for anything that cannot be read. */
export interface AnswerReader {
  /** Takes one server-sent event. */
  event(name: string, data: string): void;
  /** Takes a complete answer from an endpoint that ignored the request for a stream. */
  whole(answer: unknown): void;
  /** Whether the answer is complete. */
  readonly isOver: boolean;
  answer(): Answer;
}

/** A protocol for asking models. */
export interface Protocol {
  /** The endpoint's URL, below the base URL that an operator entered. */
  addressOf(baseUrl: string): string;
  headersOf(key: string | null): Readonly<Record<string, string>>;
  /** The body of a request that asks for a stream. */
  bodyOf(model: { readonly model: string; readonly maxOutputTokens?: number }, turn: Turn): unknown;
  reader(onText: (text: string) => void): AnswerReader;
}
