import {
  choice,
  described,
  type Infer,
  list,
  object,
  optional,
  type ReportProblem,
  text,
  withRule,
} from '../lib/schema/schema.ts';

/** What a PII rule can look for; `pattern` is the operator's own RE2 expression. */
export const piiKinds = ['card', 'iban', 'email', 'phone', 'pattern'] as const;

export type PiiKind = (typeof piiKinds)[number];

/** What a PII rule can do with what it finds. */
export const piiActions = ['mask-replies', 'mask-records', 'refuse-arguments'] as const;

export type PiiAction = (typeof piiActions)[number];

export const maxPiiRules = 20;

const piiRule = withRule(
  object({
    find: described(
      choice(...piiKinds),
      'Card numbers (checked by Luhn), IBANs (checked by mod 97), email addresses, phone numbers, or the pattern of this rule.',
    ),
    /** As shown in masks, steps and metrics; the kind if absent. */
    name: optional(
      described(
        text({
          min: 1,
          max: 40,
          pattern: /^[a-z0-9][a-z0-9 _-]*$/i,
          wants: 'must be made of letters, digits, spaces, hyphens and underscores',
        }),
        'Shown in place of what the rule masks, and in metrics; the kind by default.',
      ),
    ),
    pattern: optional(
      described(text({ min: 1, max: 500 }), 'An RE2 expression; required for "find": "pattern".'),
    ),
    actions: described(
      list(choice(...piiActions), { min: 1, max: piiActions.length }),
      'Mask it in replies, mask it in call records, or refuse calls with it in an argument.',
    ),
  }),
  ({ find, pattern, actions }, report) => {
    if ((find === 'pattern') !== (pattern !== undefined))
      report('/pattern', find === 'pattern' ? 'is required' : `has no effect with "find": "${find}"`);
    if (new Set(actions).size < actions.length) report('/actions', 'lists an action twice');
  },
);

export type PiiRule = Infer<typeof piiRule>;

/** The PII rules of an API or a server. */
export const piiRules = described(
  withRule(list(piiRule, { max: maxPiiRules }), reportRepeatedNames),
  'What counts as personal data in calls, and what happens to it.',
);

function reportRepeatedNames(rules: readonly PiiRule[], report: ReportProblem): void {
  const seen = new Set<string>();
  rules.forEach((rule, at) => {
    const name = piiRuleName(rule).toLowerCase();
    if (seen.has(name)) report(`/${at}/name`, `is used by another rule: "${name}"`);
    seen.add(name);
  });
}

/** The name of a rule, as masks, steps and metrics show it. */
export function piiRuleName({ name, find }: Pick<PiiRule, 'name' | 'find'>): string {
  return name ?? find;
}

/** The rules of an API and a server together that take an action. */
export function rulesFor(
  action: PiiAction,
  ...owners: readonly { readonly piiRules?: readonly PiiRule[] | undefined }[]
): readonly PiiRule[] {
  return owners.flatMap((owner) => owner.piiRules?.filter(({ actions }) => actions.includes(action)) ?? []);
}
