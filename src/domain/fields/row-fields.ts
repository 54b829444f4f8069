import { described, integer, text } from '../../lib/schema/schema.ts';

/** An id such as `tool_01JCQ…`. Its form keeps out every name that plain objects inherit. */
export const idText = text({
  min: 1,
  max: 80,
  pattern: /^[a-z]+_[A-Za-z0-9_-]+$/,
  wants: 'must be an id such as tool_01JCQ7',
});

/** Epoch milliseconds, within what a date can be made of. */
export const timeMs = integer({ min: 0, max: 8_640_000_000_000_000 });

/** How often something is done; a timer that waits longer than this does not wait at all. */
export const intervalMs = (min: number) => integer({ min, max: 2_147_483_647 });

/** What every row of the registry has besides its content. */
export const rowFields = {
  id: idText,
  revision: described(integer({ min: 1 }), 'Send it as If-Match when you edit.'),
  createdAtMs: timeMs,
  updatedAtMs: timeMs,
};

/** The longest text that describes something to people and models. */
export const maxDescription = 100_000;
