/** The changes to send: emptied fields become null, because JSON has no undefined. */
export function emptyAsNull<T extends object>(changes: T): { [K in keyof T]: T[K] | null } {
  return Object.fromEntries(
    Object.entries(changes).map(([field, value]) => [field, value === undefined ? null : (value as unknown)]),
  ) as { [K in keyof T]: T[K] | null };
}

/** A text, or undefined if it is empty. */
export const textOrNone = (text: string): string | undefined => (text === '' ? undefined : text);
