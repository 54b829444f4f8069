import type { Gateway } from '../../gateway.ts';
import { type Command, exitCode } from '../command.ts';
import { logRejections } from '../log-rejections.ts';

/** Runs the gateway until it is asked to stop. */
export const serve: Command = {
  summary: 'run the gateway',
  usage: '[--host HOST] [--port PORT] [--data-dir DIR] [--no-demo]',
  examples: [
    'handrail serve',
    'handrail serve --port 0 --no-demo',
    'HANDRAIL_EGRESS_ALLOW=127.0.0.1:9000 handrail serve',
    'DATABASE_URL=postgres://user@host/db HANDRAIL_SECRET_KEY=… handrail serve --host 0.0.0.0',
  ],
  async run({ config, json, print }) {
    const { createGateway } = await import('../../gateway.ts');
    const gateway = await createGateway(config);
    logRejections(gateway.log, gateway.context.metrics);
    let url: string;
    try {
      url = await gateway.listen();
    } catch (error) {
      await gateway.close();
      throw error;
    }
    // Node would print the error as it is; the log masks what is secret.
    process.on('uncaughtException', (err) => {
      gateway.log.fatal({ err }, 'crashed');
      process.exit(exitCode.failed);
    });
    // Installed before the address is printed: a program that reads the address may send a signal at once.
    const stopped = untilStopped(gateway);
    const { made } = gateway.adminTokens;
    const setupToken = await gateway.admins.makeSetupToken();
    // Behind `#`, so that the token never reaches a server's log.
    const setupUrl = setupToken === null ? null : `${gateway.context.publicUrl()}/admin/setup#${setupToken}`;
    if (json) {
      print(
        JSON.stringify({
          event: 'listening',
          url,
          ...(made !== null && { adminToken: made }),
          ...(setupUrl !== null && { setupUrl }),
        }),
      );
    } else {
      for (const line of banner(
        url,
        made,
        setupUrl,
        [...gateway.registry.snapshot.apis.values()].some((api) => api.builtIn),
      ))
        print(line);
    }
    return stopped;
  },
};

// Ctrl+C under npm arrives twice: from the terminal, and passed on by npm.
const sameSignalMs = 500;

/** Resolves with the exit code once a signal has ended the gateway; another signal, or the deadline, ends the process. */
function untilStopped({ config, log, context, close }: Gateway): Promise<number> {
  return new Promise((resolve) => {
    let askedAtMs: number | null = null;
    const endAtOnce = (why: string): void => {
      log.error({ recordsLost: context.recorder.waiting }, why);
      process.exit(exitCode.failed);
    };
    const stop = (signal: NodeJS.Signals): void => {
      if (askedAtMs !== null) {
        if (Date.now() - askedAtMs > sameSignalMs) endAtOnce(`${signal} came again: ending at once`);
        return;
      }
      askedAtMs = Date.now();
      const leaveMs = signal === 'SIGTERM' ? config.leaveMs : 0;
      log.info({ signal, leaveMs }, 'stopping');
      setTimeout(
        () => endAtOnce('stopping took too long: ending with what still hangs'),
        leaveMs + config.drainMs + config.closeMs,
      ).unref();
      close(leaveMs).then(
        () => resolve(exitCode.ok),
        (err: unknown) => {
          log.error({ err }, 'stopping failed');
          resolve(exitCode.failed);
        },
      );
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
  });
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
      : ['', 'Create the first admin account (the link works once, for a day):', `  ${setupUrl}`]),
    ...(adminToken === null ? [] : ['', `Admin token (shown this once): ${adminToken}`]),
    ...(hasDemo
      ? ['', 'Try it:', `  curl ${url}/mcp/tools/list`, '  handrail call weather_get --arg location=Berlin']
      : []),
    '',
    'Ctrl+C stops it.',
  ];
}
