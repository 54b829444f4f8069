import { type PiiRule } from '../../domain/pii-rules.ts';
import { invalidInputError } from '../../domain/stored/read-stored.ts';
import { compiledPattern, patternSteps } from '../../lib/json/patterns.ts';
import { maxPiiPatternSteps } from '../../lib/secrets/find-pii.ts';

/** Rejects rules with an expression that RE2 can't read, or that takes too much work for every text of every call. */
export function checkPiiPatterns(subject: string, rules: readonly PiiRule[]): void {
  const problems = rules.flatMap(({ pattern }, at) => {
    const fault = pattern === undefined ? null : faultOf(pattern);
    return fault === null ? [] : [{ path: `/piiRules/${at}/pattern`, message: fault }];
  });
  if (problems.length > 0) throw invalidInputError(subject, problems);
}

function faultOf(pattern: string): string | null {
  if (patternSteps(pattern) > maxPiiPatternSteps) return 'is too large: shorten it, or repeat fewer times';
  const compiled = compiledPattern(pattern);
  if (compiled === null) return 'is not an RE2 expression (which has no look-around and no back-references)';
  return compiled.matcher('').matches() ? 'must not match an empty text' : null;
}
