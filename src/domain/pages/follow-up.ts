/** The progress of gathering pages. */
export interface PagesSoFar {
  readonly pages: number;
  readonly records: number;
  /** The total reported by the API. */
  readonly total: number | null;
}

/** What a caller wants beyond the single request of a call: every page of a list, the result of a long job. */
export interface FollowUp {
  readonly all: boolean;
  /** The maximum number of records over all pages; null means the gateway's limit. */
  readonly maxItems: number | null;
  readonly wait: boolean;
  /** The prefix of these options for this caller; null if it cannot use them. */
  readonly prefix: '' | '_' | '--' | null;
  /** Called with every page. */
  readonly report: ((soFar: PagesSoFar) => void) | null;
}

const nothing = { all: false, maxItems: null, wait: false, report: null } as const;

/** For calls that cannot ask for more than their single request. */
export const noFollowUp: FollowUp = { ...nothing, prefix: null };

/** For calls that could have asked for more but did not, by prefix. */
export const notAsked = {
  '': { ...nothing, prefix: '' },
  _: { ...nothing, prefix: '_' },
  '--': { ...nothing, prefix: '--' },
} as const satisfies Record<string, FollowUp>;

/** How a caller writes one of these options. */
export function askText(prefix: NonNullable<FollowUp['prefix']>, name: 'all' | 'wait'): string {
  return prefix === '--' ? `--${name}` : `${prefix}${name}: true`;
}

/** Whether anything beyond the single request was asked for. */
export function isAsked({ all, wait }: FollowUp): boolean {
  return all || wait;
}

/** The options for all pages, the maximum number of records, and waiting. */
export const followUpNames = ['all', 'max_items', 'wait'] as const;

/** Parses what a caller asks for; returns a problem if that is not valid. */
export function readFollowUp(
  given: Readonly<Record<string, unknown>>,
  prefix: NonNullable<FollowUp['prefix']>,
): FollowUp | { readonly problem: string } {
  const [all, maxItems, wait] = followUpNames.map((name) => given[`${prefix}${name}`]);
  if (isLeftOut(all) && isLeftOut(maxItems) && isLeftOut(wait)) return notAsked[prefix];
  for (const [name, value] of [
    ['all', all],
    ['wait', wait],
  ] as const)
    if (!isLeftOut(value) && flagOf(value) === null)
      return { problem: `${prefix}${name} must be true or false.` };
  const maxCount = isLeftOut(maxItems) ? null : countOf(maxItems);
  if (maxCount === undefined) return { problem: `${prefix}max_items must be a whole number, at least 1.` };
  const wantsAll = flagOf(all) === true;
  if (maxCount !== null && !wantsAll)
    return { problem: `${prefix}max_items limits what ${prefix}all: true gathers: use both, or neither.` };
  return { all: wantsAll, maxItems: maxCount, wait: flagOf(wait) === true, prefix, report: null };
}

function isLeftOut(value: unknown): boolean {
  return value === undefined || value === null;
}

// Models sometimes write numbers and booleans as text.
function flagOf(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value;
  return value === 'true' ? true : value === 'false' ? false : null;
}

function countOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 1 ? number : undefined;
}
