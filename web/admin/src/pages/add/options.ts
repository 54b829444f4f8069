import type { BodyOf, RouteAt } from '../../api/routes.ts';

const names = [
  'headers',
  'cookies',
  'technical',
  'fix',
  'approveChanges',
  'watchEveryMs',
  'variables',
  'auth',
  'host',
  'overlays',
  'agreeOrigins',
] as const;

/** How an import treats what it finds, apart from the selection of operations. */
export type ImportOptions = Pick<BodyOf<RouteAt<'POST', '/imports'>>, (typeof names)[number]>;

/** The options among everything an import was started with. */
export const importOptionsOf = (given: ImportOptions): ImportOptions =>
  Object.fromEntries(names.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])));

/** How often a URL can be checked, by name. */
export const watchIntervalsMs = {
  '15m': 900_000,
  '1h': 3_600_000,
  '6h': 21_600_000,
  '24h': 86_400_000,
  '7d': 604_800_000,
} as const;

/** Drops options that were left empty. */
export function givenOptions(options: ImportOptions): ImportOptions {
  return Object.fromEntries(
    Object.entries(options).filter(
      ([, value]) =>
        value !== undefined &&
        value !== '' &&
        !(typeof value === 'object' && Object.keys(value).length === 0),
    ),
  );
}
