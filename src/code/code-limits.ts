import type { Server } from '../domain/server.ts';
import { type ToolKind, toolKinds } from '../domain/tool.ts';
import type { RunLimits } from '../sandbox/messages.ts';

const megabyte = 1024 * 1024;

/** Default limits for scripts on a server. */
export const defaultCodeLimits = { memoryMb: 64, cpuMs: 5_000, wallMs: 30_000, calls: 100, callsAtOnce: 10 };

/** Longer replies reach a script as a handle: parsed in the sandbox, a text needs seven times its length in memory. */
export const maxReplyChars = 4 * megabyte;

const maxOutputChars = 100_000;

/** The limits of a run on this server. */
export function runLimitsOf({ code = {} }: Pick<Server, 'code'>): RunLimits {
  const { memoryMb, ...limits } = { ...defaultCodeLimits, ...code };
  const { cpuMs, wallMs, calls, callsAtOnce } = limits;
  return {
    memoryBytes: memoryMb * megabyte,
    cpuMs,
    wallMs,
    calls,
    callsAtOnce,
    resultChars: maxReplyChars,
    outputChars: maxOutputChars,
  };
}

/** Whether scripts on a server may call tools of a kind. */
export function mayCallFromCode({ code }: Pick<Server, 'code'>, kind: ToolKind): boolean {
  return toolKinds.indexOf(kind) <= toolKinds.indexOf(code?.may ?? 'write');
}
