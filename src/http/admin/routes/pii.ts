import { adminApiErrors } from '../../../domain/error-messages/admin-api.ts';
import { type PiiAction, piiRuleName, rulesFor } from '../../../domain/pii-rules.ts';
import { largestPiiLimits, maskMatches, piiIn } from '../../../lib/secrets/mask-pii.ts';
import { OverBudget, WorkBudget } from '../../../lib/work-budget.ts';
import { patternOf } from '../../../pipeline/pii-log.ts';
import { checkPiiPatterns } from '../../../registry/rules/pii-patterns.ts';
import { findApi, findServer } from '../../../registry/rules/find-and-revise.ts';
import type { AppContext } from '../../app-context.ts';
import { piiRoutes } from '../../contract/pii.ts';
import { bind, type BoundRoute } from '../bind.ts';

/** Trying PII rules on a text. */
export function bindPii({ registry }: AppContext): BoundRoute[] {
  return [
    bind(piiRoutes.try, ({ body: { text, rules, api, server } }) => {
      if (rules !== undefined) checkPiiPatterns('These rules cannot be tried', rules);
      const { snapshot } = registry;
      const owners = [
        { piiRules: rules },
        ...(api === undefined ? [] : [findApi(snapshot, api)]),
        ...(server === undefined ? [] : [findServer(snapshot, server)]),
      ];
      const budget = new WorkBudget({ ...largestPiiLimits, steps: 2 * largestPiiLimits.steps });
      const all = owners.flatMap(({ piiRules = [] }) => piiRules);
      const findAll = (action: PiiAction) => piiIn(text, rulesFor(action, ...owners).map(patternOf), budget);
      try {
        return {
          matches: piiIn(text, all.map(patternOf), budget).map(({ name, start, end }) => ({
            rule: name,
            actions: all.flatMap((rule) => (piiRuleName(rule) === name ? rule.actions : [])),
            start,
            end,
            text: text.slice(start, end),
          })),
          reply: maskMatches(text, findAll('mask-replies')),
          record: maskMatches(text, findAll('mask-records')),
          refused: findAll('refuse-arguments').length > 0,
        };
      } catch (error) {
        if (error instanceof OverBudget) throw adminApiErrors.textTooLongToTry();
        throw error;
      }
    }),
  ];
}
