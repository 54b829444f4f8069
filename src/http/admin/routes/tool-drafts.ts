import type { z } from 'zod';
import { adminCaller } from '../../../access/callers.ts';
import { HandrailError } from '../../../domain/errors.ts';
import { newId } from '../../../domain/ids.ts';
import { inputSchemaOf } from '../../../domain/tool.ts';
import { compile } from '../../../pipeline/compile.ts';
import { resolve } from '../../../pipeline/request/resolve.ts';
import { validate } from '../../../pipeline/arguments/validate.ts';
import { findServer } from '../../../registry/rules.ts';
import { createTool } from '../../../registry/tools.ts';
import { toolDraftRoutes } from '../../contract/tool-drafts.ts';
import type { AppContext } from '../../app-context.ts';
import { bind, type BoundRoute } from '../bind.ts';
import { callCompiled } from '../call-tool.ts';
import { readOperation } from '../read-operation.ts';
import { viewRequest } from '../request-view.ts';

/** Trying tools that are not stored: decided like a new one, and never committed. */
export function bindToolDrafts(context: AppContext): BoundRoute[] {
  const { registry, now } = context;
  const compiled = ({ api, operation }: z.output<(typeof toolDraftRoutes.call)['body']>) => {
    const { snapshot } = registry;
    const { result: tool } = createTool(
      snapshot,
      // Whether its own name is free and valid is said when it is stored; trying it must not wait for that.
      { api, name: newId('tool', now()), description: '', operation: readOperation(operation) },
      { nowMs: now() },
    );
    return compile(snapshot.apis.get(tool.apiId)!, tool);
  };
  return [
    bind(toolDraftRoutes.preview, ({ body }) => {
      const tool = compiled(body);
      const inputSchema = inputSchemaOf(tool.tool.operation);
      try {
        const plan = resolve(tool, validate(tool, body.arguments));
        return { inputSchema, request: viewRequest(plan), problem: null };
      } catch (error) {
        // Arguments are seldom complete while someone is still typing them.
        if (!(error instanceof HandrailError)) throw error;
        return { inputSchema, request: null, problem: error.message };
      }
    }),
    bind(toolDraftRoutes.call, ({ body, admin, signal }) =>
      callCompiled(context, compiled(body), {
        toolName: body.name,
        server: findServer(registry.snapshot, 'default'),
        caller: adminCaller(admin),
        surface: 'admin',
        arguments: body.arguments,
        signal,
      }),
    ),
  ];
}
