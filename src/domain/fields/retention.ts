import { described, integer } from '../../lib/schema/schema.ts';

/** For how many days call records are kept. */
export const retentionDays = described(
  integer({ min: 0, max: 3_650 }),
  'Days that call records are kept; 0 keeps them for ever.',
);
