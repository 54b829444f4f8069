import { addressOf } from '../../api/address.ts';
import { send } from '../../api/client.ts';
import { readToken } from '../../api/token.ts';
import { toastProblem } from '../../components/toasts.tsx';
import type { queryOf } from './filter.ts';

/** Downloads every call that matches. The browser streams it to disk, except with the admin token, which only a fetch can carry. */
export function exportCalls(query: ReturnType<typeof queryOf>, format: 'csv' | 'json'): void {
  const url = `/api/v1${addressOf('/calls/export', {}, { ...query, format })}`;
  if (readToken() === null) return download(url, format);
  fetchAndSave(url, format).catch(toastProblem);
}

async function fetchAndSave(url: string, format: string): Promise<void> {
  const local = URL.createObjectURL(await (await send(url)).blob());
  download(local, format);
  setTimeout(() => URL.revokeObjectURL(local), 60_000);
}

function download(url: string, format: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = `handrail-calls.${format}`;
  link.click();
}
