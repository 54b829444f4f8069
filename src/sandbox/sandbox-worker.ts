import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { JSException } from 'quickjs-wasi';
import {
  compileEngine,
  type GuestMachine,
  GuestSyntaxError,
  type OnGuestMessage,
  makeBaseline,
  restoreMachine,
  lineIn,
  readGuestError,
} from './guest-machine.ts';
import {
  type FromThread,
  type GuestError,
  requestKinds,
  type SandboxThreadData,
  type SliceEnd,
  type StopReason,
  type ToThread,
} from './messages.ts';
import { ownThreadId, threadCpuMs } from './thread-clock.ts';
import { scriptInFence, tidyScript } from './tidy-script.ts';

type Slice = Exclude<ToThread, { readonly kind: 'drop' }>;

// A machine that ever grew this much larger than a new one leaves more memory behind than a new thread costs.
const wornBytes = 12 * 1024 * 1024;
const lowPriority = 10;
const checkCpuEveryMs = 20;

const port = parentPort!;
const { stop, ...given }: SandboxThreadData = workerData;
const threadId = ownThreadId();
// Only Linux gives a thread its own priority; elsewhere it would apply to the whole gateway.
if (threadId !== null) setPriority(threadId, lowPriority);

const module = given.module ?? (await compileEngine());
const baseline = given.baseline ?? (await makeBaseline(module));
/** The one machine that may stay here while it waits. */
let resident: { readonly runId: number; readonly machine: GuestMachine } | null = null;
let slice: SliceState | null = null;

interface SliceState {
  readonly runId: number;
  readonly limits: Slice['limits'];
  requestsLeft: number;
  outputLeft: number;
  readonly startedAt: number;
  readonly cpuAtStart: number | null;
  cpuLeftMs: number;
  checkAt: number;
  stopped: StopReason | null;
  end: SliceEnd | null;
}

function post(message: FromThread, transfer: ArrayBuffer[] = []): void {
  port.postMessage(message, transfer);
}

function cpuMsIn({ startedAt, cpuAtStart }: SliceState): number {
  const now = cpuAtStart === null ? null : threadCpuMs(threadId);
  return now === null || cpuAtStart === null ? performance.now() - startedAt : now - cpuAtStart;
}

/** Once true it stays true: after one job is stopped, a script would continue with the next. */
function isStopped(): boolean {
  if (slice === null || slice.stopped !== null) return true;
  if (Atomics.load(stop, 0) !== 0) slice.stopped = 'asked';
  const now = performance.now();
  if (slice.stopped === null && now >= slice.checkAt) {
    const left = slice.cpuLeftMs - cpuMsIn(slice);
    if (left <= 0) slice.stopped = 'cpu';
    else slice.checkAt = now + Math.max(left, checkCpuEveryMs);
  }
  return slice.stopped !== null;
}

const hear: OnGuestMessage = (kind, id, payload) => {
  if (slice === null || slice.end !== null) return 'The script has ended.';
  const { runId, limits } = slice;
  if (kind === 'done') {
    if (payload.length > limits.resultChars)
      return `The script returned ${payload.length} characters, and the limit is ${limits.resultChars}. Return less.`;
    slice.end = { kind: 'returned', text: payload };
    return '';
  }
  if (kind === 'failed') {
    slice.end = { kind: 'threw', error: readGuestError(payload) };
    return '';
  }
  if (kind === 'print' || kind === 'show') {
    if (slice.outputLeft <= 0) return 'full';
    const text = payload.slice(0, slice.outputLeft);
    slice.outputLeft -= text.length + lineCost;
    post({ kind: 'output', runId, output: kind, text });
    return '';
  }
  const request = requestKinds.find((one) => one === kind);
  if (request === undefined || !Number.isSafeInteger(id)) return 'There is no such request.';
  if (payload.length > limits.resultChars)
    return `This is ${payload.length} characters long, and the limit is ${limits.resultChars}.`;
  if (slice.requestsLeft <= 0) return 'The script has too many requests waiting at once.';
  slice.requestsLeft--;
  post({ kind: 'request', runId, id, request, payload });
  return '';
};

// Many short lines are as hard to read as one long line.
const lineCost = 20;

async function machineFor(message: Slice): Promise<GuestMachine> {
  const held = resident;
  resident = null;
  if (held !== null && held.runId === message.runId) return held.machine;
  if (held !== null) {
    // Whatever happens to this thread from here on, the waiting machine is safe.
    const machine = held.machine.freeze();
    const { bytes, pages } = machine;
    post({ kind: 'frozen', runId: held.runId, machine }, [bytes.buffer, pages.buffer]);
  }
  const frozen = message.kind === 'resume' ? message.frozen : null;
  return restoreMachine({
    module,
    baseline,
    memoryBytes: message.limits.memoryBytes,
    frozen,
    hear,
    isStopped,
  });
}

let isParserBroken = false;

/** Starts a script; of a text that isn't one, the code block in it. */
async function startScript(machine: GuestMachine, written: string, setup: string): Promise<void> {
  try {
    await startSource(machine, tidyScript(written), setup);
  } catch (thrown) {
    const inner = thrown instanceof GuestSyntaxError ? scriptInFence(written) : null;
    if (inner === null) throw thrown;
    await startSource(machine, inner, setup);
  }
}

/** Starts a script: as it is when it is JavaScript, and without its types when it is TypeScript. */
async function startSource(machine: GuestMachine, source: string, setup: string): Promise<void> {
  try {
    machine.start(mayMeanTypes(source) ? await withoutTypes(source) : source, setup);
  } catch (thrown) {
    if (!(thrown instanceof GuestSyntaxError)) throw thrown;
    let plain: string;
    try {
      plain = await withoutTypes(source);
    } catch (error) {
      throw error instanceof GuestSyntaxError ? error : thrown;
    }
    if (plain === source) throw thrown;
    machine.start(plain, setup);
  }
}

const opening = '(async function () {';
const closing = '\n})';

async function withoutTypes(source: string): Promise<string> {
  const { StripError, stripTypes } = await import('./strip-types.ts');
  try {
    return stripTypes(`${opening}${source}${closing}`).slice(opening.length, -closing.length);
  } catch (error) {
    if (error instanceof StripError) throw new GuestSyntaxError(error.message, error.line);
    // A parser that crashed isn't used again.
    isParserBroken = true;
    throw new GuestSyntaxError('The script is nested too deeply to be read.', undefined);
  }
}

function endOf(state: SliceState, thrown: unknown): SliceEnd {
  const line = thrown instanceof JSException ? lineIn(thrown.stack) : undefined;
  if (state.stopped !== null)
    return { kind: 'stopped', why: state.stopped, ...(line !== undefined && { line }) };
  if (thrown instanceof GuestSyntaxError) {
    const error: GuestError = { name: 'SyntaxError', message: thrown.message };
    return { kind: 'threw', error: thrown.line === undefined ? error : { ...error, line: thrown.line } };
  }
  if (thrown instanceof RangeError) return { kind: 'stopped', why: 'stack' };
  // Something the engine itself couldn't do, such as writing an answer: it ran out of memory.
  return { kind: 'stopped', why: 'memory', ...(line !== undefined && { line }) };
}

async function runSlice(message: Slice): Promise<void> {
  const startedAt = performance.now();
  const state: SliceState = (slice = {
    runId: message.runId,
    limits: message.limits,
    requestsLeft: message.requestsLeft,
    outputLeft: message.outputLeft,
    startedAt,
    cpuAtStart: threadCpuMs(threadId),
    cpuLeftMs: message.cpuLeftMs,
    checkAt: startedAt + Math.min(message.cpuLeftMs, checkCpuEveryMs),
    stopped: null,
    end: null,
  });
  let machine: GuestMachine | null = null;
  let end: SliceEnd;
  try {
    machine = await machineFor(message);
    if (message.kind === 'begin') await startScript(machine, message.source, message.setup);
    else for (const answer of message.answers) machine.deliver(answer);
    machine.settle();
    end = state.end ?? (state.stopped === null ? { kind: 'waiting' } : endOf(state, null));
  } catch (thrown) {
    end = state.end ?? endOf(state, thrown);
  }
  slice = null;
  const memoryBytes = machine?.memoryBytes ?? 0;
  if (end.kind === 'waiting' && machine !== null) resident = { runId: message.runId, machine };
  else machine?.dispose();
  post({
    kind: 'slice',
    runId: message.runId,
    end,
    cpuMs: cpuMsIn(state),
    memoryBytes,
    isWorn: isParserBroken || memoryBytes > baseline.memory.length + wornBytes,
  });
}

// One after the other: the gateway sends the next message when it has the answer to the last, and a thread that
// breaks ends with an error.
port.on('message', (message: ToThread) => {
  if (message.kind === 'drop') {
    if (resident?.runId !== message.runId) return;
    resident.machine.dispose();
    resident = null;
    return;
  }
  void runSlice(message);
});
post({ kind: 'ready', threadId, module, baseline });

/**
 * Whether a text that parses as JavaScript may be meant as TypeScript: `f<T>(x)` is a call in TypeScript, and
 * two comparisons in JavaScript. The part between the brackets ends at the next bracket, so every character is
 * read once.
 */
function mayMeanTypes(source: string): boolean {
  return /[\w$]<[^<>()=;]*>+\s{0,20}\(/.test(source);
}
