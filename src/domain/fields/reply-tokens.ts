import { integer, withRule } from '../../lib/schema/schema.ts';

/** The smallest budget in which a long reply can still be told about. */
export const leastReplyTokens = 500;

/** How many tokens of a reply a model reads at most; 0 means any. */
export const replyTokens = withRule(integer({ min: 0, max: 100_000_000 }), (tokens, tell) => {
  if (tokens !== 0 && tokens < leastReplyTokens)
    tell('', `must be 0 (no limit) or at least ${leastReplyTokens}`);
});
