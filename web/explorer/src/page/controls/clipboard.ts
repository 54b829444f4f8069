import { h } from '../dom.ts';
import { t } from '../texts.ts';
import { announce } from './toast.ts';

/** Copies a text and says so. Without the clipboard API (plain http) it selects and copies the old way. */
export async function copyText(text: string, said: string = t('copied')): Promise<void> {
  announce((await writeText(text)) ? said : t('copyFailed'));
}

/** Saves a text as a file. */
export function saveText(text: string, fileName: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/octet-stream' }));
  h('a', { href: address, download: fileName }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

async function writeText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = h('textarea', { class: 'offscreen', 'aria-hidden': 'true' });
    field.value = text;
    document.body.append(field);
    field.select();
    const copied = document.execCommand('copy');
    field.remove();
    return copied;
  }
}
