/** A patch whose nulls take fields away, as the registry's rules read it: a key set to undefined. */
export function nullsToUndefined<T extends object>(
  patch: T,
): { [K in keyof T]: Exclude<T[K], null> | undefined } {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- TypeScript forgets the names of fields that are mapped
  return Object.fromEntries(Object.entries(patch).map(([name, value]) => [name, value ?? undefined])) as {
    [K in keyof T]: Exclude<T[K], null> | undefined;
  };
}
