import { type Infer, list, object, optional, record, text } from '../../lib/schema/schema.ts';
import { HandrailError } from '../errors.ts';
import { asParsed } from './addresses.ts';

/** An API's address with parts that its operator fills in: `https://{tenant}.example.com`. */
export const serverTemplate = object({
  /** With `{name}` for each variable. */
  url: text({ min: 1, max: 4_000 }),
  variables: record(
    text({ min: 1, max: 200 }),
    object({
      /** Empty while nobody has said it. */
      value: text({ max: 2_000 }),
      allowed: optional(list(text({ max: 2_000 }), { max: 1_000 })),
      description: optional(text({ max: 2_000 })),
    }),
    { max: 100 },
  ),
});

export type ServerTemplate = Infer<typeof serverTemplate>;

/** The address that the variables make; null while one of them has no value. */
export function filledAddress({ url, variables }: ServerTemplate): string | null {
  let address = url;
  for (const [name, { value }] of Object.entries(variables)) {
    if (value === '') return null;
    address = address.replaceAll(`{${name}}`, value);
  }
  return asParsed(address);
}

/** The template with other values. Refuses a variable that it does not have, and a value that is not allowed. */
export function withVariables(
  template: ServerTemplate | undefined,
  values: Readonly<Record<string, string>>,
): ServerTemplate {
  const known = template?.variables ?? {};
  const next: Record<string, ServerTemplate['variables'][string]> = { ...known };
  for (const [name, value] of Object.entries(values)) {
    const refuse = (why: string): never => {
      throw new HandrailError('invalid_input', `The variable "${name}" of the address ${why}.`, {
        problems: [{ path: `/serverVariables/${name}`, message: why }],
      });
    };
    const variable = Object.hasOwn(known, name) ? known[name]! : undefined;
    if (variable === undefined) {
      const names = Object.keys(known);
      return refuse(
        names.length === 0 ? 'does not exist: it has none' : `does not exist; there is ${names.join(', ')}`,
      );
    }
    if (variable.allowed !== undefined && !variable.allowed.includes(value))
      return refuse(`must be one of ${variable.allowed.slice(0, 20).join(', ')}`);
    next[name] = { ...variable, value };
  }
  return { url: template!.url, variables: next };
}
