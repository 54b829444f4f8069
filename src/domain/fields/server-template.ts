import { type Infer, list, object, optional, record, text } from '../../lib/schema/schema.ts';
import { fieldErrors } from '../error-messages/fields.ts';
import { asParsed } from './addresses.ts';

/** An API's base URL with variables that its operator sets: `https://{tenant}.example.com`. */
export const serverTemplate = object({
  /** With `{name}` for each variable. */
  url: text({ min: 1, max: 4_000 }),
  variables: record(
    text({ min: 1, max: 200 }),
    object({
      /** Empty until it is set. */
      value: text({ max: 2_000 }),
      allowed: optional(list(text({ max: 2_000 }), { max: 1_000 })),
      description: optional(text({ max: 2_000 })),
    }),
    { max: 100 },
  ),
});

export type ServerTemplate = Infer<typeof serverTemplate>;

/** The URL with the variables filled in; null while one of them has no value. */
export function filledAddress({ url, variables }: ServerTemplate): string | null {
  let address = url;
  for (const [name, { value }] of Object.entries(variables)) {
    if (value === '') return null;
    address = address.replaceAll(`{${name}}`, value);
  }
  return asParsed(address);
}

/** The template with other values. Throws for an unknown variable and for a value that is not allowed. */
export function withVariables(
  template: ServerTemplate | undefined,
  values: Readonly<Record<string, string>>,
): ServerTemplate {
  const known = template?.variables ?? {};
  const next: Record<string, ServerTemplate['variables'][string]> = { ...known };
  for (const [name, value] of Object.entries(values)) {
    const refuse = (why: string): never => {
      throw fieldErrors.variableInvalid(
        { name, reason: why },
        { problems: [{ path: `/serverVariables/${name}`, message: why }] },
      );
    };
    const variable = Object.hasOwn(known, name) ? known[name]! : undefined;
    if (variable === undefined) {
      const names = Object.keys(known);
      return refuse(
        names.length === 0 ? 'does not exist: it has none' : `does not exist; it has ${names.join(', ')}`,
      );
    }
    if (variable.allowed !== undefined && !variable.allowed.includes(value))
      return refuse(`must be one of ${variable.allowed.slice(0, 20).join(', ')}`);
    next[name] = { ...variable, value };
  }
  return { url: template!.url, variables: next };
}
