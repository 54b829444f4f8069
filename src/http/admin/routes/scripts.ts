import { HandrailError } from '../../../domain/errors.ts';
import { estimateTokens } from '../../../lib/text/estimate-tokens.ts';
import type { AppContext } from '../../app-context.ts';
import { scriptRoutes } from '../../contract/scripts.ts';
import { bind, type BoundRoute } from '../bind.ts';
import { trialRequest } from '../call-tool.ts';

/** Running scripts against a server. */
export function bindScripts(context: AppContext): BoundRoute[] {
  return [
    bind(scriptRoutes.run, async ({ params, body, admin, signal, traceparent }) => {
      const { code, surface } = body;
      const trial = { admin, arguments: {}, signal, traceparent, server: params.server, surface };
      const { server, snapshot: _snapshot, arguments: _none, ...origin } = trialRequest(context, trial);
      const view = context.viewOf(server.slug);
      if (view === undefined)
        throw new HandrailError('conflict', `The server "${server.slug}" is disabled: enable it first.`);
      const run = await context.runCode({ ...origin, view, code });
      const { end, calls } = run;
      const result = end.kind === 'returned' ? end.text : '';
      return {
        runId: run.id,
        ok: end.kind === 'returned',
        result,
        ...(end.kind === 'failed' && {
          error: {
            code: end.code,
            message: end.message,
            ...(end.line !== undefined && { line: end.line }),
          },
        }),
        printed: [...run.printed],
        shown: [...run.shown],
        calls: calls.map(({ path, toolId: _toolId, ...call }) => ({ ...call, tool: path })),
        durationMs: run.durationMs,
        cpuMs: run.usage.cpuMs,
        memoryBytes: run.usage.memoryBytes,
        tokens: {
          result: estimateTokens(result),
          direct: calls.reduce((sum, { tokens }) => sum + tokens, 0),
        },
      };
    }),
  ];
}
