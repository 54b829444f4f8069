import { z } from 'zod';
import { slugText } from '../../domain/names.ts';
import { schemaText } from '../../domain/operation.ts';
import { fromDomain } from './from-domain.ts';

/** Paging of every list. */
export const pageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(500).default(50).describe('How many to return, 1 to 500.'),
  cursor: z.string().max(500).optional().describe('`nextCursor` of the previous page.'),
});

/** A page of something. */
export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({
    items: z.array(item),
    nextCursor: z
      .string()
      .nullable()
      .describe('Pass it as `cursor` to get the next page; null on the last page.'),
    total: z.number().int().describe('Total number of items.'),
  });
}

export const timestamp = z.string().describe('RFC 3339.');
export const jsonSchema = fromDomain(schemaText);
export const slug = fromDomain(slugText);

/** Fields that every stored thing has. */
export const versioned = {
  id: z.string(),
  revision: z.number().int().describe('Send it as If-Match when editing.'),
  createdAt: timestamp,
  updatedAt: timestamp,
};
