import type { Question } from './Dialogs.tsx';
import { loadDialogs } from './load-dialogs.ts';

/** Asks before something that can't be undone. */
export async function confirm(question: Question): Promise<boolean> {
  const { confirmInDialog } = await loadDialogs();
  return confirmInDialog(question);
}
