/** What a sealed value within a row begins with. */
export const sealedPrefix = 'handrail-sealed:';

/** Whether a value is sealed: in memory, one that could not be opened, which must not be sent. */
export function isSealedText(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith(sealedPrefix);
}
