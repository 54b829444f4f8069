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
    let url: string;
    try {
      url = await gateway.listen();
    } catch (error) {
      await gateway.close();
      throw error;
    }
    logRejections(gateway.log);
    // Node would print the error as it is; the log masks what is secret.
    process.on('uncaughtException', (err) => {
      gateway.log.fatal({ err }, 'crashed');
      process.exit(exitCode.failed);
    });
    // Installed before the address is printed: a program that reads the address may send a signal at once.
    const stopped = new Promise<number>((resolve) => {
      let stopping = false;
      const stop = async (signal: NodeJS.Signals): Promise<void> => {
        if (stopping) return;
        stopping = true;
        gateway.log.info({ signal }, 'stopping');
        try {
          await gateway.close();
          resolve(exitCode.ok);
        } catch (err) {
          gateway.log.error({ err }, 'stopping failed');
          resolve(exitCode.failed);
        }
      };
      process.on('SIGTERM', (signal) => void stop(signal));
      process.on('SIGINT', (signal) => void stop(signal));
    });
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
