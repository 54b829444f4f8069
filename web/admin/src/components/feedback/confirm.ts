import type { Question } from './Dialogs.tsx';
import { loadDialogs } from './load-dialogs.ts';

/** Asks before something that cannot be undone. */
export async function confirm(question: Question): Promise<boolean> {
  const { askInDialog } = await loadDialogs();
  return askInDialog(question);
}
