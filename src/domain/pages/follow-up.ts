/** How far the gathering of pages has come. */
export interface PagesSoFar {
  readonly pages: number;
  readonly records: number;
  /** How many there are in all, as the API tells. */
  readonly total: number | null;
}

/** What a caller wants done beyond the one request of a call: every page of a list, the end of a long job. */
export interface FollowUp {
  readonly all: boolean;
  /** The most records of all pages together; null means as many as the gateway gathers. */
  readonly maxItems: number | null;
  readonly wait: boolean;
  /** What stands before these names where this caller gives them; null where it cannot. */
  readonly prefix: '' | '_' | '--' | null;
  /** Hears of every page. */
  readonly report: ((soFar: PagesSoFar) => void) | null;
}

const nothing = { all: false, maxItems: null, wait: false, report: null } as const;

/** For calls that cannot ask for more than their one request. */
export const noFollowUp: FollowUp = { ...nothing, prefix: null };

/** For calls that could have asked for more and did not, by the prefix of the names. */
export const notAsked = {
  '': { ...nothing, prefix: '' },
  _: { ...nothing, prefix: '_' },
  '--': { ...nothing, prefix: '--' },
} as const satisfies Record<string, FollowUp>;

/** How a caller says that it wants one of these, in its own words. */
export function askText(prefix: NonNullable<FollowUp['prefix']>, name: 'all' | 'wait'): string {
  return prefix === '--' ? `--${name}` : `${prefix}${name}: true`;
}

/** Whether anything is to be done beyond the one request. */
export function isAsked({ all, wait }: FollowUp): boolean {
  return all || wait;
}

/** The names by which all pages, the most records and waiting are asked for. */
export const followUpNames = ['all', 'max_items', 'wait'] as const;

/** Reads what a caller asks for; a sentence when it cannot be read. */
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
  const most = isLeftOut(maxItems) ? null : countOf(maxItems);
  if (most === undefined) return { problem: `${prefix}max_items must be a whole number, at least 1.` };
  const wantsAll = flagOf(all) === true;
  if (most !== null && !wantsAll)
    return { problem: `${prefix}max_items bounds what ${prefix}all: true gathers: give both, or neither.` };
  return { all: wantsAll, maxItems: most, wait: flagOf(wait) === true, prefix, report: null };
}

function isLeftOut(value: unknown): boolean {
  return value === undefined || value === null;
}

// Models write numbers and truth values as text now and then.
function flagOf(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value;
  return value === 'true' ? true : value === 'false' ? false : null;
}

function countOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 1 ? number : undefined;
}
