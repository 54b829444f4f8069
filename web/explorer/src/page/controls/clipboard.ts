import { fill, h } from '../dom.ts';
import { t } from '../texts.ts';

const toast = h('div', { class: 'toast', role: 'status', 'aria-live': 'polite' });
let hideTimer: ReturnType<typeof setTimeout> | undefined;

/** Copies a text and confirms it. Without the clipboard API (plain http), it falls back to selecting and copying. */
export async function copyText(text: string, message: string = t('copied')): Promise<void> {
  announce((await writeText(text)) ? message : t('copyFailed'));
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

/** Shows a short message on screen and reads it to screen readers. */
function announce(text: string): void {
  if (!toast.isConnected) document.body.append(toast);
  fill(toast, h('span', {}, text));
  toast.classList.add('shown');
  clearTimeout(hideTimer);
  hideTimer = setTimeout(() => {
    toast.classList.remove('shown');
    fill(toast);
  }, 2500);
}
