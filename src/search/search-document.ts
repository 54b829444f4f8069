import type { ParameterPlace } from '../domain/operation.ts';

/** One tool as search reads it. */
export interface SearchDocument {
  /** Names the document within the index. */
  readonly key: string;
  /** The API it belongs to: tools of one group speak for each other, and yield each other's ids. */
  readonly group: string;
  /** What the API is called, and the tool's tags. */
  readonly groupWords: readonly string[];
  readonly name: string;
  readonly method?: string;
  /** Path template, such as `/users/{id}`; empty where there is none. */
  readonly path: string;
  readonly description: string;
  readonly parameters: readonly SearchParameter[];
  /** Names of the fields of a reply, outermost first. */
  readonly replyFields: readonly string[];
  /** Whether a reply has a list in it; absent where nothing is known of the reply. */
  readonly repliesMany?: boolean;
}

export interface SearchParameter {
  readonly name: string;
  readonly description: string;
  /** Where it goes in the request; absent where there is no request. */
  readonly place?: ParameterPlace;
  readonly required?: boolean;
  /** Takes any words, such as a search box does. */
  readonly freeText?: boolean;
}

/** The fields of a document, each with what a word in it weighs. */
export const fieldWeights = {
  name: 3,
  group: 2,
  path: 2,
  description: 0.75,
  parameterNames: 0.5,
  parameterDescriptions: 1,
  replyFields: 0.3,
} as const;
