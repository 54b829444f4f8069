/** Changes as they are sent: what was emptied goes as null, because JSON has no undefined. */
export function emptyAsNull<T extends object>(changes: T): { [K in keyof T]: T[K] | null } {
  return Object.fromEntries(
    Object.entries(changes).map(([field, value]) => [field, value === undefined ? null : (value as unknown)]),
  ) as { [K in keyof T]: T[K] | null };
}

/** A text that is taken away when nothing is left of it. */
export const textOrNone = (text: string): string | undefined => (text === '' ? undefined : text);
