import { z } from 'zod';
import { piiActions, piiRules } from '../../domain/pii-rules.ts';
import { fromDomain } from './from-domain.ts';
import { defineRoute } from './route.ts';

export const maxTriedText = 100_000;

export const piiRoutes = {
  try: defineRoute({
    method: 'POST',
    path: '/pii/try',
    id: 'tryPiiRules',
    tag: 'calls',
    access: 'viewer',
    summary: 'Show what PII rules find in a text and what becomes of it, without saving or sending anything',
    status: 200,
    body: z.strictObject({
      text: z.string().max(maxTriedText),
      rules: fromDomain(piiRules).optional().describe('Rules to try, whether or not they are saved.'),
      api: z.string().optional().describe('Id or slug: try its saved rules as well.'),
      server: z.string().optional().describe('Id or slug: try its saved rules as well.'),
    }),
    reply: z.object({
      matches: z
        .array(
          z.object({
            rule: z.string(),
            actions: z.array(z.enum(piiActions)),
            start: z.number().int().describe('Offset in the text, in UTF-16 code units.'),
            end: z.number().int(),
            text: z.string(),
          }),
        )
        .describe('What the rules find; overlapping matches are joined.'),
      reply: z.string().describe('The text as it would leave in a reply.'),
      record: z.string().describe('The text as a call record would contain it.'),
      refused: z.boolean().describe('Whether a call with this text in an argument would be refused.'),
    }),
  }),
};
