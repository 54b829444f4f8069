import { startWorker } from '../../lib/start-worker.ts';
import { createTurns } from '../../lib/timing/turns.ts';
import type { TextAbout } from './about-text.ts';
import { PartError } from './part-request.ts';
import { doReading, type ReadingAnswer, type ReadingResults, type ReadingTask } from './reading-task.ts';

const longestMs = 20_000;
const mostMemoryMb = 768;
const turns = createTurns(2, 50);

// Taking a long text apart holds everyone else up; a thread for it takes some ten milliseconds to start.
const longText = 256 * 1024;

/**
 * Expressions that take no longer than the text is long: a path, and behind it one set of fields. Others can double what
 * they find again and again, or look at everything for every part.
 */
const plainPath = /^[\w.[\]*:\-" ]{1,500}(?:\.?\{[\w:.,"\s[\]*]{1,500}\})?$/;

/** Tells about the text of a reply; of one that cannot be read in time, nothing but that. */
export async function tellAbout(text: string, tokens: number): Promise<TextAbout> {
  try {
    return await readAside({ kind: 'about', text, tokens });
  } catch (error) {
    if (!(error instanceof PartError)) throw error;
    const note = 'none, because it takes too long';
    return { isJson: false, records: 0, unit: 'lines', preview: '', note, places: null };
  }
}

/** Does work on a text, at once or in a thread; rejects with a PartError when it cannot be done as asked. */
export async function readAside<Kind extends keyof ReadingResults>(
  task: ReadingTask & { readonly kind: Kind },
): Promise<ReadingResults[Kind]> {
  const answer = await answerTo(task);
  if ('refusal' in answer) throw new PartError(answer.refusal);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what comes of a task is of its own kind
  return answer.result as ReadingResults[Kind];
}

async function answerTo(task: ReadingTask): Promise<ReadingAnswer> {
  // A page reads over its stretch and takes nothing apart.
  const isShort = task.text.length <= (task.kind === 'page' ? 4 * longText : longText);
  if (isShort && (task.kind !== 'select' || plainPath.test(task.select))) return doReading(task);
  const turn = turns.run(() => readNow(task));
  return turn ?? { refusal: 'too many long replies are read at this moment; try again in a second' };
}

function readNow(workerData: ReadingTask): Promise<ReadingAnswer> {
  return new Promise((resolve) => {
    const worker = startWorker(import.meta.url, './reading-worker.ts', {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: mostMemoryMb },
    });
    const refuse = (why: string): void => resolve({ refusal: `${why}: select less, or in a simpler way` });
    const timer = setTimeout(() => {
      refuse(`it took longer than ${longestMs / 1000} seconds`);
      void worker.terminate();
    }, longestMs);
    worker.once('message', resolve);
    worker.once('error', (error: NodeJS.ErrnoException) =>
      refuse(
        error.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? `it needed more than ${mostMemoryMb} MB of memory`
          : 'it could not be read',
      ),
    );
    worker.once('exit', () => {
      clearTimeout(timer);
      refuse('it was stopped');
    });
  });
}
