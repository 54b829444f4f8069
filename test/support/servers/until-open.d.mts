import type { ChildProcess } from 'node:child_process';

export function untilOpen(child: ChildProcess, port: number): Promise<void>;
