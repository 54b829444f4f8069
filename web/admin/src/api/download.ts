import { send } from './client.ts';
import { readToken } from './token.ts';

/**
 * Downloads a URL of this gateway. The browser streams it to disk, except with the admin token, which only a fetch
 * can send.
 */
export async function download(url: string, fileName: string): Promise<void> {
  if (readToken() === null) return save(url, fileName);
  const local = URL.createObjectURL(await (await send(url)).blob());
  save(local, fileName);
  setTimeout(() => URL.revokeObjectURL(local), 60_000);
}

function save(url: string, fileName: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
}
