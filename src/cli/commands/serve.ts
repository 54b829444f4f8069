import { isatty } from 'node:tty';
import type { Logger } from 'pino';
import type { Config } from '../../config/settings.ts';
import type { Opening } from '../../gateway.ts';
import { createLog, logRejections } from '../../lib/log.ts';
import { type Command, type CommandInput, exitCode } from '../command.ts';

/** Runs the gateway until it is asked to stop. */
export const serve: Command = {
  summary: 'run the gateway',
  usage: '[--host HOST] [--port PORT] [--data-dir DIR] [--workers N|auto] [--no-demo]',
  examples: [
    'handrail serve',
    'handrail serve --port 0 --no-demo',
    'HANDRAIL_EGRESS_ALLOW=127.0.0.1:9000 handrail serve',
    'DATABASE_URL=postgres://user@host/db HANDRAIL_SECRET_KEY=… handrail serve --host 0.0.0.0',
  ],
  async run(input) {
    endOnSignals();
    return input.config.workers === 1 ? serveAlone(input) : serveWithWorkers(input);
  },
};

/** Ends the process at a signal, until it serves. */
export function endOnSignals(): void {
  for (const signal of stopSignals) process.on(signal, endBeforeServing);
}

const stopSignals = ['SIGTERM', 'SIGINT'] as const;

/**
 * Exits before the gateway serves anyone. Needed because the first process of a container ignores signals without a
 * handler.
 */
function endBeforeServing(): void {
  process.exit(exitCode.ok);
}

async function serveAlone({ config, json, print }: CommandInput): Promise<number> {
  const { createGateway } = await import('../../gateway.ts');
  const gateway = await createGateway(config);
  const { log, context } = gateway;
  logRejections(log, context.metrics);
  let url: string;
  try {
    url = await gateway.listen();
  } catch (error) {
    await gateway.close();
    throw error;
  }
  // Node would print the error verbatim; the log masks secrets.
  process.on('uncaughtException', (err) => {
    log.fatal({ err }, 'crashed');
    process.exit(exitCode.failed);
  });
  // Installed before the URL is printed: a program that reads the URL may send a signal right away.
  const stopped = untilStopped(config, log, {
    close: (leaveMs) => gateway.close(leaveMs),
    endNow: (why) => log.error({ recordsLost: context.recorder.waiting }, why),
  });
  // The terminal was closed, and there are no workers to replace: shut down gracefully.
  process.on('SIGHUP', () => process.emit('SIGINT', 'SIGHUP'));
  announce(print, json, url, await gateway.opening());
  return stopped;
}

async function serveWithWorkers({ config, json, print }: CommandInput): Promise<number> {
  const { startWorkers } = await import('../../workers/run-workers.ts');
  const log = createLog(config);
  const workers = await startWorkers({ config, count: config.workers, log });
  process.on('uncaughtException', (err) => {
    log.fatal({ err }, 'crashed');
    workers.kill();
    process.exit(exitCode.failed);
  });
  const stopped = untilStopped(config, log, {
    close: (leaveMs) => workers.close(leaveMs),
    endNow(why) {
      log.error(why);
      workers.kill();
    },
  });
  // Checked now, because the terminal may be gone later.
  const hasTerminal = isatty(0);
  process.on('SIGHUP', () => {
    if (hasTerminal) {
      process.emit('SIGINT', 'SIGHUP');
      return;
    }
    log.info('replacing all workers one by one');
    workers.replaceAll().catch((err: unknown) => log.error({ err }, 'replacing the workers failed'));
  });
  announce(print, json, workers.url, workers.opening);
  return stopped;
}

// Ctrl+C under npm arrives twice: from the terminal and from npm.
const sameSignalMs = 500;

/**
 * Resolves with the exit code once a signal has stopped the gateway; a second signal, or the deadline, ends the
 * process.
 */
export function untilStopped(
  config: Pick<Config, 'leaveMs' | 'drainMs' | 'closeMs'>,
  log: Logger,
  gateway: { close(leaveMs: number): Promise<void>; endNow(why: string): void },
): Promise<number> {
  return new Promise((resolve) => {
    let signaledAtMs: number | null = null;
    const endNow = (why: string): void => {
      gateway.endNow(why);
      process.exit(exitCode.failed);
    };
    const stop = (signal: NodeJS.Signals): void => {
      if (signaledAtMs !== null) {
        if (Date.now() - signaledAtMs > sameSignalMs) endNow(`received ${signal} again: exiting immediately`);
        return;
      }
      signaledAtMs = Date.now();
      const leaveMs = signal === 'SIGTERM' ? config.leaveMs : 0;
      log.info({ signal, leaveMs }, 'stopping');
      setTimeout(
        () => endNow('stopping took too long: exiting with work unfinished'),
        leaveMs + config.drainMs + config.closeMs,
      ).unref();
      gateway.close(leaveMs).then(
        () => resolve(exitCode.ok),
        (err: unknown) => {
          log.error({ err }, 'stopping failed');
          resolve(exitCode.failed);
        },
      );
    };
    for (const signal of stopSignals) process.off(signal, endBeforeServing).on(signal, stop);
  });
}

function announce(print: CommandInput['print'], json: boolean, url: string, opening: Opening): void {
  const { madeToken, setupUrl, hasDemo } = opening;
  if (json) {
    print(
      JSON.stringify({
        event: 'listening',
        url,
        ...(madeToken !== null && { adminToken: madeToken }),
        ...(setupUrl !== null && { setupUrl }),
      }),
    );
    return;
  }
  for (const line of banner(url, madeToken, setupUrl, hasDemo)) print(line);
}

function banner(url: string, adminToken: string | null, setupUrl: string | null, hasDemo: boolean): string[] {
  return [
    `Handrail is listening at ${url}`,
    '',
    `  MCP      ${url}/mcp            every tool; /mcp/{slug} for one server`,
    `  REST     ${url}/mcp/tools/list`,
    `  Explorer ${url}/explorer/default`,
    `  Admin    ${url}/admin          its API is described at /api/v1/openapi.json`,
    ...(setupUrl === null
      ? []
      : ['', 'Create the first admin account (the link is valid once, for one day):', `  ${setupUrl}`]),
    ...(adminToken === null ? [] : ['', `Admin token (shown only once): ${adminToken}`]),
    ...(hasDemo
      ? ['', 'Try it:', `  curl ${url}/mcp/tools/list`, '  handrail call weather_get --arg location=Berlin']
      : []),
    '',
    'Ctrl+C stops it.',
  ];
}
