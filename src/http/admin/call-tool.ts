import type { z } from 'zod';
import { adminCaller, localCaller } from '../../access/callers.ts';
import type { AdminPrincipal } from '../../domain/admin.ts';
import { HandrailError } from '../../domain/errors.ts';
import { newId } from '../../domain/ids.ts';
import type { Call, CompiledTool } from '../../pipeline/types.ts';
import { findServer, findTool } from '../../registry/rules.ts';
import type { toolRoutes, triedCall } from '../contract/tools.ts';
import type { AppContext } from '../app-context.ts';

/** Calls a stored tool for whoever tries it, under the name a server gives it. */
export function callTool(
  context: AppContext,
  reference: string,
  body: z.output<(typeof toolRoutes.call)['body']>,
  admin: AdminPrincipal,
  signal: AbortSignal,
): Promise<z.input<typeof triedCall>> {
  const { snapshot } = context.registry;
  const server = findServer(snapshot, body.server);
  const listed = snapshot.view(server.slug)?.byName.get(reference);
  const tool = listed?.compiled ?? snapshot.compiled.get(findTool(snapshot, reference).id);
  if (tool === undefined)
    throw new HandrailError(
      'conflict',
      `The tool "${reference}" is disabled: enable it (and its API) to call it.`,
    );
  return callCompiled(context, tool, {
    toolName: listed?.name ?? tool.tool.name,
    server,
    caller: body.surface === 'cli' ? localCaller : adminCaller(admin),
    surface: body.surface,
    arguments: body.arguments,
    signal,
  });
}

/** Runs one call through the pipeline and tells what became of it. */
export async function callCompiled(
  { runCall, now }: AppContext,
  tool: CompiledTool,
  call: Omit<Call, 'id' | 'tool' | 'client'>,
): Promise<z.input<typeof triedCall>> {
  const startedAtMs = now();
  const callId = newId('call', startedAtMs);
  const outcome = await runCall({ ...call, id: callId, tool, client: { name: 'handrail' } });
  const durationMs = now() - startedAtMs;
  if (!outcome.ok) {
    const { code, message, fault, retry, details } = outcome.error;
    return {
      callId,
      ok: false,
      content: [{ type: 'text', text: message }],
      upstreamStatus: details.upstreamStatus ?? null,
      durationMs,
      error: { code, message, fault, retry },
    };
  }
  const { content, structuredText } = outcome.output;
  return {
    callId,
    ok: true,
    content: content as unknown as Record<string, unknown>[],
    ...(structuredText !== null && { structuredContent: JSON.parse(structuredText) as unknown }),
    upstreamStatus: outcome.status,
    durationMs,
  };
}
