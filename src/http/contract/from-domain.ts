import { z } from 'zod';
import { problemsIn } from '../../lib/schema/problems.ts';
import type { AnySchema, Fields, Infer } from '../../lib/schema/schema.ts';
import { toJsonSchema } from '../../lib/schema/to-json-schema.ts';

/** A part of a contract with the same input and output type. */
type Part<T> = z.ZodType<T, T>;

/** Turns a domain schema into a part of a contract, with the same validation, messages and type. */
export function fromDomain<S extends AnySchema>(schema: S): Part<Infer<S>> {
  return z
    .custom<Infer<S>>()
    .superRefine((value, context) => {
      for (const { path, message } of problemsIn(schema, value))
        context.addIssue({ code: 'custom', path: stepsOf(path), message });
    })
    .meta(toJsonSchema(schema));
}

/** Turns domain fields into parts of a contract; optional fields lose their optionality. */
export function fieldsFromDomain<F extends Fields>(
  fields: F,
): { readonly [K in keyof F]: Part<Infer<F[K]>> } {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- TypeScript loses the field names when entries are mapped
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      fromDomain('optional' in field ? field.optional : field),
    ]),
  ) as { readonly [K in keyof F]: Part<Infer<F[K]>> };
}

function stepsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}
