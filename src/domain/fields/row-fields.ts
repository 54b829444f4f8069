import { described, integer, text } from '../../lib/schema/schema.ts';

/** An id such as `tool_01JCQ…`. Its format excludes every property name that plain objects inherit. */
export const idText = text({
  min: 1,
  max: 80,
  pattern: /^[a-z]+_[A-Za-z0-9_-]+$/,
  wants: 'must be an id such as tool_01JCQ7',
});

/** Epoch milliseconds, within the range of a Date. */
export const timeMs = integer({ min: 0, max: 8_640_000_000_000_000 });

/** An interval; a timer with a longer delay would fire immediately. */
export const intervalMs = (min: number) => integer({ min, max: 2_147_483_647 });

/** Fields that every row of the registry has in addition to its content. */
export const rowFields = {
  id: idText,
  revision: described(integer({ min: 1 }), 'Send it as If-Match when you edit.'),
  createdAtMs: timeMs,
  updatedAtMs: timeMs,
};

/** The maximum length of a description. */
export const maxDescription = 100_000;
