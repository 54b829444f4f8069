import type { ReportLine } from '../../api/resources.ts';

/** Method and path of an operation's name, such as `GET /pets/{id}`. */
export function partsOf(operation: string): { method: string; path: string } {
  const at = operation.indexOf(' ');
  return at === -1
    ? { method: '', path: operation }
    : { method: operation.slice(0, at), path: operation.slice(at + 1) };
}

/** What a plan's table is narrowed to. */
export interface PlanFilter {
  readonly search: string;
  readonly method: string | null;
  readonly tag: string | null;
  readonly fidelity: ReportLine['fidelity'] | null;
}

/** The operations that fit what was typed and chosen. */
export function filterReport(
  report: readonly ReportLine[],
  { search, method, tag, fidelity }: PlanFilter,
): ReportLine[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return report.filter((line) => {
    const text = `${line.operation} ${line.tool ?? ''} ${line.tags.join(' ')}`.toLowerCase();
    return (
      (method === null || partsOf(line.operation).method === method) &&
      (tag === null || line.tags.includes(tag)) &&
      (fidelity === null || line.fidelity === fidelity) &&
      words.every((word) => text.includes(word))
    );
  });
}
