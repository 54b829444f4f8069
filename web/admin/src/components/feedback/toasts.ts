import { messageOf } from '../../api/problem.ts';
import { toldProblem } from '../remedies/remedy.ts';
import { loadDialogs } from './load-dialogs.ts';

async function show(tone: 'good' | 'bad', text: string): Promise<void> {
  const { showToast } = await loadDialogs();
  showToast(tone, text);
}

/** Says briefly that something worked. */
export const toastDone = (text: string): void => void show('good', text);

/** Says what went wrong, in the gateway's own words. */
export const toastProblem = (error: unknown): void => void show('bad', toldProblem(messageOf(error)).text);
