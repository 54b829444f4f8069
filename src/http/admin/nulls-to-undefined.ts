/** Converts a patch where null removes a field to the registry's form, where the key is set to undefined. */
export function nullsToUndefined<T extends object>(
  patch: T,
): { [K in keyof T]: Exclude<T[K], null> | undefined } {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- TypeScript loses the field names when entries are mapped
  return Object.fromEntries(Object.entries(patch).map(([name, value]) => [name, value ?? undefined])) as {
    [K in keyof T]: Exclude<T[K], null> | undefined;
  };
}
