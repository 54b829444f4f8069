import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Intrinsics, JSException, QuickJS, type JSValueHandle, type Snapshot } from 'quickjs-wasi';
import type { Answer, Baseline, FrozenMachine, GuestError } from './messages.ts';
import { prelude } from './prelude.ts';
import { readJson } from '../lib/schema/read-json.ts';
import { integer, object, optional, text } from '../lib/schema/schema.ts';

/** Receives what a machine's script sends to its host; returns an empty string, or why it was rejected. */
export type OnGuestMessage = (kind: string, id: number, payload: string) => string;

/** One virtual machine with one script in it. */
export interface GuestMachine {
  /** Compiles and starts the body of an async function. A syntax error is thrown as `GuestSyntaxError`. */
  start(source: string, setup: string): void;
  deliver(answer: Answer): void;
  /** Runs until there is nothing left to do but wait. Throws if the machine was stopped. */
  settle(): void;
  /** A snapshot of the waiting machine, which can't be used afterwards. */
  freeze(): FrozenMachine;
  readonly memoryBytes: number;
  dispose(): void;
}

export interface MachineOptions {
  readonly module: WebAssembly.Module;
  readonly baseline: Baseline;
  readonly memoryBytes: number;
  readonly frozen: FrozenMachine | null;
  readonly hear: OnGuestMessage;
  /** Called every few thousand steps; true stops whatever runs. */
  readonly isStopped: () => boolean;
}

/** A syntax error in a script. */
export class GuestSyntaxError extends Error {
  readonly line: number | undefined;

  constructor(message: string, line: number | undefined) {
    super(message);
    this.line = line;
  }
}

const pageBytes = 4_096;
const maxStackBytes = 256 * 1024;
const fileName = 'script';
// No clock except the date, and nothing that writes.
const intrinsics = Intrinsics.ALL & ~Intrinsics.PERFORMANCE;
const machineOptions = {
  maxStackSize: maxStackBytes,
  timezoneOffset: 0,
  wasi: () => ({ fd_write: () => 52 }),
};

/** Compiles the engine. */
export async function compileEngine(): Promise<WebAssembly.Module> {
  const path = createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm');
  return WebAssembly.compile(await readFile(path));
}

/** Creates the image that all machines are restored from: an engine with the prelude loaded. */
export async function makeBaseline(module: WebAssembly.Module): Promise<Baseline> {
  const vm = await QuickJS.create({ ...machineOptions, wasm: module, intrinsics });
  const send = vm.newFunction('send', () => vm.undefined);
  vm.setProp(vm.global, 'send', send);
  const made = vm.evalCode(prelude, 'handrail');
  const start = made.getProp('0');
  const deliver = made.getProp('1');
  const { memory, stackPointer, runtimePtr, contextPtr } = vm.snapshot();
  const shared = new Uint8Array(new SharedArrayBuffer(memory.length));
  shared.set(memory);
  const baseline = {
    memory: shared,
    stackPointer,
    runtimePtr,
    contextPtr,
    start: vm.exportHandle(start),
    deliver: vm.exportHandle(deliver),
  };
  vm.dispose();
  return baseline;
}

/** Restores a machine: a new one, or one that was waiting. */
export async function restoreMachine(options: MachineOptions): Promise<GuestMachine> {
  const { module, baseline, memoryBytes, frozen, hear, isStopped } = options;
  const snapshot: Snapshot = {
    memory: frozen === null ? baseline.memory : thawed(baseline, frozen),
    stackPointer: frozen?.stackPointer ?? baseline.stackPointer,
    runtimePtr: baseline.runtimePtr,
    contextPtr: baseline.contextPtr,
    extensions: [],
  };
  const vm = await QuickJS.restore(snapshot, {
    ...machineOptions,
    wasm: module,
    memoryLimit: memoryBytes,
    interruptHandler: isStopped,
  });
  // Nothing may be thrown in here: the library would show the script a path on this machine.
  vm.registerHostCallback('send', (kind, id, payload) =>
    vm.newString(
      kind?.isString && id?.isNumber && payload?.isString
        ? hear(kind.toString(), id.toNumber(), payload.toString())
        : 'Only text can be sent.',
    ),
  );

  function call(place: number, ...args: readonly JSValueHandle[]): void {
    const called = vm.importHandle(place);
    vm.callFunction(called, vm.undefined, ...args).dispose();
    called.dispose();
    for (const arg of args) arg.dispose();
  }

  return {
    start(source, setup) {
      let body: JSValueHandle;
      try {
        // On the first line, so that line numbers match the source.
        body = vm.evalCode(`(async function () {"use strict";${source}\n})`, fileName);
      } catch (thrown) {
        if (!(thrown instanceof JSException) || thrown.name !== 'SyntaxError') throw thrown;
        throw new GuestSyntaxError(thrown.message, lineIn(thrown.stack));
      }
      call(baseline.start, body, vm.newString(setup));
    },
    deliver({ id, isDone, text: delivered }) {
      call(baseline.deliver, vm.newNumber(id), isDone ? vm.true : vm.false, vm.newString(delivered));
    },
    settle() {
      vm.executePendingJobs();
    },
    freeze() {
      const { memory, stackPointer } = vm.snapshot();
      const machine = { ...difference(baseline.memory, memory), stackPointer };
      vm.dispose();
      return machine;
    },
    get memoryBytes() {
      return vm._getMemory().buffer.byteLength;
    },
    dispose: () => vm.dispose(),
  };
}

function difference(before: Uint8Array, now: Uint8Array): Omit<FrozenMachine, 'stackPointer'> {
  const pages: number[] = [];
  const known = bytesOf(before);
  const found = bytesOf(now);
  const nothing = Buffer.alloc(pageBytes);
  for (let page = 0; page * pageBytes < now.length; page++) {
    const at = page * pageBytes;
    const isSame =
      at < before.length
        ? found.compare(known, at, at + pageBytes, at, at + pageBytes) === 0
        : found.compare(nothing, 0, pageBytes, at, at + pageBytes) === 0;
    if (!isSame) pages.push(page);
  }
  const bytes = new Uint8Array(pages.length * pageBytes);
  pages.forEach((page, i) =>
    bytes.set(now.subarray(page * pageBytes, (page + 1) * pageBytes), i * pageBytes),
  );
  return { byteLength: now.length, pages: Uint32Array.from(pages), bytes };
}

function thawed(baseline: Baseline, { byteLength, pages, bytes }: FrozenMachine): Uint8Array {
  const memory = new Uint8Array(byteLength);
  memory.set(baseline.memory);
  pages.forEach((page, i) =>
    memory.set(bytes.subarray(i * pageBytes, (i + 1) * pageBytes), page * pageBytes),
  );
  return memory;
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

const thrownError = object({
  message: text({ max: 10_000 }),
  name: optional(text({ max: 200 })),
  stack: optional(text({ max: 10_000 })),
  code: optional(text({ max: 200 })),
  status: optional(integer()),
});

/** Reads the prelude's description of an error; if it isn't valid, says only that something was thrown. */
export function readGuestError(payload: string): GuestError {
  const read = readJson(thrownError, payload);
  if (read === null) return { message: 'The script threw something that cannot be read.' };
  const { stack, ...error } = read;
  const line = lineIn(stack);
  return line === undefined ? error : { ...error, line };
}

/** The first line of a script that appears in a stack. */
export function lineIn(stack: string | undefined): number | undefined {
  const found = /\bscript:(\d{1,7})/.exec(stack ?? '');
  return found === null ? undefined : Number(found[1]);
}
