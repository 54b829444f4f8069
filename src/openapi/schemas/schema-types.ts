/** The equivalent of a document's `type` in JSON Schema 2020-12. */
export interface StandardType {
  readonly type: string | null;
  readonly format?: string;
  /** Not a type of the specification; a note says how it was interpreted. */
  readonly guessed?: boolean;
}

const standard = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null']);

// Types that real documents use but the specification does not define.
const guesses: Readonly<Record<string, StandardType>> = {
  any: { type: null },
  mixed: { type: null },
  file: { type: 'string', format: 'binary' },
  binary: { type: 'string', format: 'binary' },
  float: { type: 'number' },
  double: { type: 'number' },
  decimal: { type: 'number' },
  numeric: { type: 'number' },
  int: { type: 'integer' },
  int32: { type: 'integer' },
  int64: { type: 'integer' },
  long: { type: 'integer' },
  bool: { type: 'boolean' },
  list: { type: 'array' },
  map: { type: 'object' },
  dict: { type: 'object' },
  hash: { type: 'object' },
  json: { type: 'object' },
  str: { type: 'string' },
  text: { type: 'string' },
  date: { type: 'string', format: 'date' },
  datetime: { type: 'string', format: 'date-time' },
  'date-time': { type: 'string', format: 'date-time' },
  time: { type: 'string' },
  timestamp: { type: 'string' },
  uuid: { type: 'string', format: 'uuid' },
  uri: { type: 'string', format: 'uri' },
  url: { type: 'string', format: 'uri' },
  email: { type: 'string', format: 'email' },
  password: { type: 'string', format: 'password' },
  byte: { type: 'string', format: 'byte' },
  enum: { type: 'string' },
};

/** Interprets one `type` word; null if it makes no sense. */
export function standardType(word: string): StandardType | null {
  if (standard.has(word)) return { type: word };
  const lower = word.trim().toLowerCase();
  if (standard.has(lower)) return { type: lower, guessed: true };
  const guess = Object.hasOwn(guesses, lower) ? guesses[lower]! : null;
  // `file` is Swagger 2's own word (https://spec.openapis.org/oas/v2.0#parameter-object).
  return guess && { ...guess, guessed: lower !== 'file' };
}
