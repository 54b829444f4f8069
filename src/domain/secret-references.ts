/** Where a secret is, instead of the secret itself: `${env:NAME}`, `${file:PATH}` or `${command:NAME}`. */
export interface SecretReference {
  readonly kind: 'env' | 'file' | 'command';
  readonly name: string;
}

/** The reference that a text consists of; null if it is a secret itself. */
export function referenceIn(text: string): SecretReference | null {
  const found = /^\$\{(env|file|command):([^{}\r\n]{1,500})\}$/.exec(text.trim());
  if (found === null) return null;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one of the three words of the expression
  return { kind: found[1] as SecretReference['kind'], name: found[2]! };
}

/** The fields of a credential that are references, by field name; undefined if none is. */
export function referencesIn(
  fields: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> | undefined {
  const found = Object.entries(fields).filter(([, value]) => referenceIn(value) !== null);
  return found.length === 0
    ? undefined
    : Object.fromEntries(found.map(([name, value]) => [name, value.trim()]));
}
