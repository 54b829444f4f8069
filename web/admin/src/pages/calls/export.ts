import { addressOf } from '../../api/address.ts';
import { download } from '../../api/download.ts';
import { toastProblem } from '../../components/feedback/toasts.ts';
import type { queryOf } from './filter.ts';

/** Downloads every call that matches. */
export function exportCalls(query: ReturnType<typeof queryOf>, format: 'csv' | 'json' | 'ndjson'): void {
  const url = `/api/v1${addressOf('/calls/export', {}, { ...query, format })}`;
  download(url, `handrail-calls.${format}`).catch(toastProblem);
}
