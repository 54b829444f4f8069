import { startWorker } from '../../lib/start-worker.ts';
import { createTurns } from '../../lib/timing/turns.ts';
import type { TextAbout } from './about-text.ts';
import { type Part, PartError, type PartRequest } from './read-part.ts';
import { doReading, type ReadingAnswer, type ReadingTask } from './reading-task.ts';

const longestMs = 10_000;
const mostMemoryMb = 512;
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
  const answer = await read({ kind: 'about', text, tokens });
  if ('about' in answer) return answer.about;
  return { isJson: false, records: 0, unit: 'lines', preview: '', note: 'none, because it takes too long' };
}

/** Reads a part of a text; rejects with a PartError when that cannot be done as asked. */
export async function readPart(text: string, request: PartRequest, tokens: number): Promise<Part> {
  const answer = await read({ kind: 'part', text, request, tokens });
  if ('part' in answer) return answer.part;
  throw new PartError('refusal' in answer ? answer.refusal : 'it cannot be read');
}

/** Selects of a text; rejects with a PartError when the expression does not fit it. */
export async function selectPart(text: string, select: string): Promise<string> {
  const answer = await read({ kind: 'select', text, select });
  if ('selected' in answer) return answer.selected;
  throw new PartError('refusal' in answer ? answer.refusal : 'it cannot be read');
}

async function read(task: ReadingTask): Promise<ReadingAnswer> {
  const select =
    task.kind === 'part' ? task.request.select : task.kind === 'select' ? task.select : undefined;
  if (task.text.length <= longText && (select === undefined || plainPath.test(select)))
    return doReading(task);
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
    worker.once('error', () => refuse(`it needed more than ${mostMemoryMb} MB of memory`));
    worker.once('exit', () => {
      clearTimeout(timer);
      refuse('it was stopped');
    });
  });
}
