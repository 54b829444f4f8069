import { messageOf, ProblemError } from '../../api/problem.ts';
import { actionableProblem } from '../remedies/remedy.ts';
import type { Undo } from './Dialogs.tsx';
import { loadDialogs } from './load-dialogs.ts';

async function show(tone: 'good' | 'bad', text: string, undo?: Undo): Promise<void> {
  const { showToast } = await loadDialogs();
  showToast(tone, text, undo);
}

/** Confirms briefly that something worked, and offers to undo it. */
export const toastDone = (text: string, undo?: Undo): void => void show('good', text, undo);

/** Shows what went wrong, with the gateway's message. */
export function toastProblem(error: unknown): void {
  // The page already asks to sign in again.
  if (error instanceof ProblemError && error.code === 'unauthenticated') return;
  void show('bad', actionableProblem(messageOf(error)).text);
}
