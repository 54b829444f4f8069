/** The bounds of calls and replies unless an operator, or the app that mounts Handrail, sets others. */
export const callDefaults = {
  /** Of a client's request. */
  maxBodyBytes: 4 * 1024 * 1024,
  /** Tokens of a tool list before `auto` mode searches it. */
  listBudget: 10_000,
  /** Tokens that a model reads of one reply. */
  replyMaxTokens: 10_000,
  handleSeconds: 3_600,
  handleMaxBytes: 1_000_000_000,
  /** What one call that gathers every page of a list may take. */
  allMaxPages: 100,
  allMaxItems: 10_000,
  allMaxBytes: 20_000_000,
  allMaxSeconds: 50,
  maxFileBytes: 100 * 1024 * 1024,
  fileLinkSeconds: 600,
} as const;
