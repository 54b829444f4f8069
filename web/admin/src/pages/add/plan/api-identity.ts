import { unsetBaseUrl } from '#domain/fields/addresses.ts';
import type { ImportResult } from '../../../api/resources.ts';

/** What was typed about a new API. Absent fields keep the plan's values. */
export interface ApiIdentity {
  readonly api?: string;
  readonly name?: string;
  readonly baseUrl?: string;
}

/** The base URL; empty if the document doesn't name one. */
export function plannedBaseUrl({ baseUrl }: Pick<ImportResult, 'baseUrl'>): string {
  return baseUrl === unsetBaseUrl ? '' : baseUrl;
}

/** The first invalid field; null if all are valid. */
export function identityFault(
  typed: ApiIdentity,
  plan: Pick<ImportResult, 'baseUrl'>,
): keyof ApiIdentity | null {
  if (typed.name?.trim() === '') return 'name';
  if (typed.api === '') return 'api';
  const baseUrl = typed.baseUrl?.trim() ?? plannedBaseUrl(plan);
  return /^https?:\/\//i.test(baseUrl) && URL.canParse(baseUrl) ? null : 'baseUrl';
}

/** The fields that differ from the plan, as the import takes them. */
export function given(typed: ApiIdentity, plan: ImportResult): ApiIdentity {
  const name = typed.name?.trim();
  const baseUrl = typed.baseUrl?.trim();
  return {
    ...(typed.api !== undefined && typed.api !== plan.api && { api: typed.api }),
    ...(name !== undefined && name !== plan.name && { name }),
    ...(baseUrl !== undefined && baseUrl !== plan.baseUrl && { baseUrl }),
  };
}
