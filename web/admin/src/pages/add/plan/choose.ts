import type { ReportLine } from '../../../api/resources.ts';
import type { BodyOf, RouteAt } from '../../../api/routes.ts';
import { fitsWildcard } from '#lib/text/wildcard.ts';

/** Which operations to import. */
export type Selection = NonNullable<BodyOf<RouteAt<'POST', '/imports'>>['select']>;

/** The method and path in an operation's name, such as `GET /pets/{id}`. */
export function partsOf(operation: string): { method: string; path: string } {
  const at = operation.indexOf(' ');
  return at === -1
    ? { method: '', path: operation }
    : { method: operation.slice(0, at), path: operation.slice(at + 1) };
}

/** The filters of the plan's table. */
export interface PlanFilter {
  readonly search: string;
  readonly method: string | null;
  readonly tag: string | null;
  readonly fidelity: ReportLine['fidelity'] | null;
}

const prefixes = { tag: 'tags', method: 'methods', path: 'paths', name: 'names' } as const;
type Terms = { readonly words: readonly string[] } & Readonly<
  Record<(typeof prefixes)[keyof typeof prefixes], readonly string[]>
>;

/** Words to find anywhere, and `tag:`, `method:`, `path:` and `name:` with `*` as wildcard. */
function termsOf({ search, method, tag }: PlanFilter): Terms {
  const terms = {
    words: [] as string[],
    tags: tag === null ? [] : [tag],
    methods: method === null ? [] : [method],
    paths: [] as string[],
    names: [] as string[],
  };
  for (const word of search.split(/\s+/).filter(Boolean)) {
    const [, prefix, value] = /^(tag|method|path|name):(.+)$/i.exec(word) ?? [];
    if (prefix === undefined) terms.words.push(word.toLowerCase());
    else terms[prefixes[prefix.toLowerCase() as keyof typeof prefixes]].push(value!);
  }
  return terms;
}

const anyOf = (wanted: readonly string[], test: (value: string) => boolean) =>
  wanted.length === 0 || wanted.some(test);

/** The operations that match the filters. */
export function filterReport(report: readonly ReportLine[], filter: PlanFilter): ReportLine[] {
  const { words, tags, methods, paths, names } = termsOf(filter);
  return report.filter((line) => {
    const { method, path } = partsOf(line.operation);
    const text = [line.operation, line.tool ?? '', ...line.tags, ...line.notes.map((note) => note.message)]
      .join(' ')
      .toLowerCase();
    return (
      (filter.fidelity === null || line.fidelity === filter.fidelity) &&
      anyOf(methods, (wanted) => wanted.toUpperCase() === method) &&
      anyOf(tags, (wanted) => line.tags.some((tag) => tag.toLowerCase() === wanted.toLowerCase())) &&
      anyOf(paths, (wanted) => fitsWildcard(wanted, path)) &&
      anyOf(names, (wanted) => fitsWildcard(wanted, line.tool ?? '')) &&
      words.every((word) => text.includes(word))
    );
  });
}

/** The rule a filter corresponds to, which also matches operations added to later versions; null if it isn't one. */
export function ruleOf(filter: PlanFilter): Selection | null {
  const { words, ...lists } = termsOf(filter);
  if (words.length > 0 || filter.fidelity !== null) return null;
  const given = Object.entries(lists).filter(([, values]) => values.length > 0);
  return given.length === 0 ? null : Object.fromEntries(given);
}

/** The group of an operation: its first tag, or the start of its path. */
export function groupOf({ operation, tags }: Pick<ReportLine, 'operation' | 'tags'>): string {
  return (
    tags[0] ??
    `/${
      partsOf(operation)
        .path.split('/')
        .find((step) => step !== '') ?? ''
    }`
  );
}

/** Operations by group, in the order in which groups first appear. */
export function groupsOf(report: readonly ReportLine[]): ReadonlyMap<string, readonly ReportLine[]> {
  const groups = new Map<string, ReportLine[]>();
  for (const line of report) {
    const group = groups.get(groupOf(line));
    if (group === undefined) groups.set(groupOf(line), [line]);
    else group.push(line);
  }
  return groups;
}
