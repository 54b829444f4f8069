import type { Check } from '../../api/resources.ts';
import type { CheckDraft } from './exchange.ts';

/** A check's fields as lines of the form. */
export const draftOfCheck = ({ question, mode, expect }: Check): CheckDraft => ({
  question,
  ...(mode !== undefined && { mode }),
  calls: (expect.calls ?? []).map(({ tool, arguments: given }) =>
    given === undefined ? tool : `${tool} ${JSON.stringify(given)}`,
  ),
  usedTokens: 0,
});
