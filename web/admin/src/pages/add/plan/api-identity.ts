import { unsetBaseUrl } from '#domain/fields/unset-base-url.ts';
import type { ImportResult } from '../../../api/resources.ts';

/** What was typed about an API that is to be added; what is absent is as the plan has it. */
export interface ApiIdentity {
  readonly api?: string;
  readonly name?: string;
  readonly baseUrl?: string;
}

/** Where calls would go; empty where the document does not say. */
export function plannedBaseUrl({ baseUrl }: Pick<ImportResult, 'baseUrl'>): string {
  return baseUrl === unsetBaseUrl ? '' : baseUrl;
}

/** What is wrong with it: the field that needs another value; null when nothing is. */
export function identityFault(
  typed: ApiIdentity,
  plan: Pick<ImportResult, 'baseUrl'>,
): keyof ApiIdentity | null {
  if (typed.name?.trim() === '') return 'name';
  if (typed.api === '') return 'api';
  const baseUrl = typed.baseUrl?.trim() ?? plannedBaseUrl(plan);
  return /^https?:\/\//i.test(baseUrl) && URL.canParse(baseUrl) ? null : 'baseUrl';
}

/** What of it is not as the plan has it, as the import takes it. */
export function given(typed: ApiIdentity, plan: ImportResult): ApiIdentity {
  const name = typed.name?.trim();
  const baseUrl = typed.baseUrl?.trim();
  return {
    ...(typed.api !== undefined && typed.api !== plan.api && { api: typed.api }),
    ...(name !== undefined && name !== plan.name && { name }),
    ...(baseUrl !== undefined && baseUrl !== plan.baseUrl && { baseUrl }),
  };
}
