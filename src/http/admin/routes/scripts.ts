import { describeTool, findByPath, scriptPaths } from '../../../code/describe-tools.ts';
import { adminApiErrors } from '../../../domain/error-messages/admin-api.ts';
import type { Server } from '../../../domain/server.ts';
import { estimateTokens } from '../../../lib/text/token-bound.ts';
import { findServer } from '../../../registry/rules/find-and-revise.ts';
import type { ServerView } from '../../../registry/snapshot.ts';
import type { AppContext } from '../../app-context.ts';
import { scriptRoutes } from '../../contract/scripts.ts';
import { bind, type BoundRoute } from '../bind.ts';
import { trialRequest } from '../call-tool.ts';

/** Writing and running scripts against a server. */
export function bindScripts(context: AppContext): BoundRoute[] {
  return [
    bind(scriptRoutes.run, async ({ params, body, admin, signal, traceparent }) => {
      const { code, surface } = body;
      const trial = { admin, arguments: {}, signal, traceparent, server: params.server, surface };
      const { server, snapshot: _snapshot, arguments: _none, ...origin } = trialRequest(context, trial);
      const view = enabledView(context, server);
      const run = await context.runCode({ ...origin, view, code });
      const { end } = run;
      const result = end.kind === 'returned' ? end.text : '';
      // No caller reads more of a reply than the budget allows.
      const maxTokens = context.replies.budget.tokensOn(view.server) || Infinity;
      const calls = run.calls.map(({ path, toolId: _toolId, ...call }) => ({
        ...call,
        tool: path,
        tokens: Math.min(call.tokens, maxTokens),
      }));
      const read = [end.kind === 'returned' ? result : end.message, ...run.printed].join('\n');
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
        calls,
        durationMs: run.durationMs,
        cpuMs: run.usage.cpuMs,
        memoryBytes: run.usage.memoryBytes,
        tokens: {
          result: Math.min(estimateTokens(read), maxTokens),
          direct: calls.reduce((sum, { tokens }) => sum + tokens, 0),
        },
      };
    }),
    bind(scriptRoutes.tools, ({ params }) => {
      const view = enabledView(context, findServer(context.registry.snapshot, params.server));
      return { paths: [...scriptPaths(view)] };
    }),
    bind(scriptRoutes.declaration, ({ params, query }) => {
      const view = enabledView(context, findServer(context.registry.snapshot, params.server));
      const listed = findByPath(view, query.tool);
      if (listed === undefined)
        throw adminApiErrors.toolNotOnServer({ slug: view.server.slug, tool: query.tool });
      const { replySchema, ...described } = describeTool(view, listed);
      return { ...described, ...(replySchema !== undefined && { replySchema }) };
    }),
  ];
}

function enabledView(context: AppContext, { slug }: Pick<Server, 'slug'>): ServerView {
  const view = context.listedView(slug);
  if (view === undefined) throw adminApiErrors.serverDisabled({ slug });
  return view;
}
