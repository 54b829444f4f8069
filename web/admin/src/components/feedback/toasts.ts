import { messageOf, ProblemError } from '../../api/problem.ts';
import { actionableProblem } from '../remedies/remedy.ts';
import { loadDialogs } from './load-dialogs.ts';

async function show(tone: 'good' | 'bad', text: string): Promise<void> {
  const { showToast } = await loadDialogs();
  showToast(tone, text);
}

/** Confirms briefly that something worked. */
export const toastDone = (text: string): void => void show('good', text);

/** Shows what went wrong, with the gateway's message. */
export function toastProblem(error: unknown): void {
  // The page already asks to sign in again.
  if (error instanceof ProblemError && error.code === 'unauthenticated') return;
  void show('bad', actionableProblem(messageOf(error)).text);
}
