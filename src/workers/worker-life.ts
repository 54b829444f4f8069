import type { Socket } from 'node:net';
import type { Config } from '../config/settings.ts';
import { toHandrailError } from '../domain/errors.ts';
import { createGateway, type Gateway } from '../gateway.ts';
import { logRejections } from '../lib/log.ts';
import type { ParentLink } from './parent-link.ts';

/** Serves connections from the parent until the parent says to stop or exits. */
export function runWorker(link: ParentLink): void {
  let gateway: Gateway | null = null;
  let isFirst = false;
  let isStopping = false;

  async function start(config: Config): Promise<void> {
    try {
      gateway = await createGateway(config, {
        workers: {
          budgets: link.budgets,
          siblings: link.siblings,
          reportRunning: (calls, endedIds) => link.tell({ type: 'running', calls, endedIds }),
        },
      });
    } catch (error) {
      const { code, message } = toHandrailError(error);
      link.tell({ type: 'failed', code, message });
      await link.flushed();
      process.exit(1);
    }
    const { log, context } = gateway;
    logRejections(log, context.metrics);
    process.on('uncaughtException', (err) => {
      log.fatal({ err }, 'crashed');
      process.exit(1);
    });
    link.onLost((calls) => calls.forEach((call) => context.recorder.add(call)));
    link.tell({ type: 'opened' });
  }

  async function serve(url: string): Promise<void> {
    await gateway!.serveAt(url);
    link.tell({ type: 'serving', ...(await gateway!.opening(isFirst)) });
  }

  async function stop(isReplaced: boolean): Promise<void> {
    if (isStopping) return;
    isStopping = true;
    const { config, log, context, close } = gateway!;
    const late = setTimeout(() => {
      log.error(
        { recordsLost: context.recorder.waiting },
        'a worker took too long to stop: exiting with work unfinished',
      );
      process.exit(1);
    }, lateAfterMs(config));
    try {
      // A client may be about to use a connection that looks idle: closing it would fail that call.
      await close(0, isReplaced ? link.giveBack : undefined);
      link.tell({ type: 'counted', text: context.metrics.text() });
    } catch (err) {
      log.error({ err }, 'a worker did not stop cleanly');
      process.exitCode = 1;
    }
    clearTimeout(late);
    await link.flushed();
    process.exit();
  }

  const failed = (err: unknown) => {
    gateway?.log.fatal({ err }, 'crashed');
    process.exit(1);
  };

  link.on((message, connection) => {
    switch (message.type) {
      case 'start':
        ({ isFirst } = message);
        start(message.config).catch(failed);
        return;
      case 'serve':
        serve(message.url).catch(failed);
        return;
      case 'connection':
        link.tell({ type: 'took' });
        give(gateway, connection);
        return;
      case 'leave':
        gateway?.leave();
        return;
      case 'stop':
        stop(message.isReplaced).catch(failed);
    }
  });

  // The parent handles signals, because a terminal sends them to all processes. A SIGTERM to this worker only has it replaced.
  process.on('SIGINT', () => {});
  process.on('SIGHUP', () => {});
  process.on('SIGTERM', () => link.tell({ type: 'leaving' }));
  // Without a parent, no process is listening.
  process.on('disconnect', () => {
    if (gateway === null) process.exit(1);
    stop(false).catch(failed);
  });
}

/** A little before the parent kills remaining workers, so that lost records can be logged. */
function lateAfterMs({ drainMs, closeMs }: Config): number {
  return drainMs + closeMs - Math.min(500, closeMs / 2);
}

function give(gateway: Gateway | null, connection: Socket | undefined): void {
  // The client may have disconnected in transit.
  if (connection === undefined) return;
  if (gateway === null) connection.destroy();
  else gateway.take(connection);
}
