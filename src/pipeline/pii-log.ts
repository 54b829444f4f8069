import type { Api } from '../domain/api.ts';
import type { Server } from '../domain/server.ts';
import { type PiiAction, type PiiRule, piiRuleName, rulesFor } from '../domain/pii-rules.ts';
import type { PiiCounts, PiiMasking, PiiPattern } from '../lib/secrets/find-pii.ts';
import { inlinePiiLimits, withPii } from '../lib/secrets/mask-pii.ts';
import { type MaskText, maskTextFor } from '../lib/secrets/mask-secrets.ts';

/** The part of a call that decides about its rules. */
interface RuledCall {
  readonly tool: { readonly api: Pick<Api, 'slug' | 'piiRules'> };
  readonly server: Pick<Server, 'piiRules'>;
}

/** Counts what a rule of an API's calls found. */
export type CountPii = (apiSlug: string, rule: string, action: PiiAction, count: number) => void;

/**
 * The PII rules of one call, and what they found in it. Several texts of a call say the same, such as its text and its
 * structure, so of each rule only the text with the most matches counts.
 */
export class PiiLog {
  readonly #call: RuledCall;
  readonly #count: CountPii;
  readonly #found = new Map<PiiAction, Map<string, number>>();

  constructor(call: RuledCall, count: CountPii) {
    this.#call = call;
    this.#count = count;
  }

  /** The patterns of the rules that take an action. */
  patterns(action: PiiAction): readonly PiiPattern[] {
    return rulesFor(action, this.#call.tool.api, this.#call.server).map(patternOf);
  }

  masking(action: PiiAction): PiiMasking {
    return { patterns: this.patterns(action), onFound: (counts) => this.add(action, counts) };
  }

  add(action: PiiAction, counts: PiiCounts): void {
    let known = this.#found.get(action);
    if (known === undefined) this.#found.set(action, (known = new Map()));
    for (const [rule, count] of counts) {
      const before = known.get(rule) ?? 0;
      if (count <= before) continue;
      known.set(rule, count);
      this.#count(this.#call.tool.api.slug, rule, action, count - before);
    }
  }

  /** What was found, as a note on a step; null if nothing was. */
  note(action: PiiAction): string | null {
    const found = this.#found.get(action);
    if (found === undefined || found.size === 0) return null;
    const list = Array.from(found, ([rule, count]) => `${count} ${rule}`).join(', ');
    return `${noteStart[action]}: ${list}`;
  }
}

const noteStart: Readonly<Record<PiiAction, string>> = {
  'mask-replies': 'masked in the reply',
  'mask-records': 'masked in the record',
  'refuse-arguments': 'refused in an argument',
};

/** The step of a call that says what its PII rules found. */
export const piiStep = 'pii';

/** A rule as the pattern that a text is searched for. */
export function patternOf(rule: PiiRule): PiiPattern {
  return { name: piiRuleName(rule), find: rule.find, pattern: rule.pattern };
}

const notCounted: CountPii = () => {};

/** The PII rules of a call; null if neither its API nor its server has any. */
export function openPiiLog(call: RuledCall, count: CountPii = notCounted): PiiLog | null {
  return call.tool.api.piiRules === undefined && call.server.piiRules === undefined
    ? null
    : new PiiLog(call, count);
}

/** The function that masks what leaves in a reply: secrets, and what the call's PII rules mask there. */
export function maskLeaving(secrets: readonly string[], pii: PiiLog | null): MaskText {
  const maskSecrets = maskTextFor(secrets);
  return pii === null ? maskSecrets : withPii(maskSecrets, pii.masking('mask-replies'), inlinePiiLimits);
}
