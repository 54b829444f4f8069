import type { z } from 'zod';
import { HandrailError } from '../../../domain/errors.ts';
import { newId } from '../../../domain/ids.ts';
import type { Tool } from '../../../domain/tool.ts';
import { resolve } from '../../../pipeline/request/resolve.ts';
import { validate } from '../../../pipeline/arguments/validate.ts';
import { compileTool } from '../../../registry/build-snapshot.ts';
import { findApi } from '../../../registry/rules/find-and-revise.ts';
import { createTool } from '../../../registry/rules/tools.ts';
import { toolDraftRoutes } from '../../contract/tool-drafts.ts';
import type { AppContext } from '../../app-context.ts';
import { bind, type BoundRoute } from '../bind.ts';
import { runTrial, trialRequest } from '../call-tool.ts';
import { readOperation } from '../read-operation.ts';
import { viewRequest } from '../request-view.ts';

/** Trying unsaved tools: they follow the rules for new tools but are never committed. */
export function bindToolDrafts(context: AppContext): BoundRoute[] {
  const { registry, now } = context;
  const draft = ({ api, operation }: z.output<(typeof toolDraftRoutes.call)['body']>): Tool =>
    createTool(
      registry.snapshot,
      // Its real name is validated when the tool is saved; trying it must work before that.
      { api, name: newId('tool', now()), description: '', operation: readOperation(operation) },
      { nowMs: now() },
    ).result;
  return [
    bind(toolDraftRoutes.preview, ({ body }) => {
      const { snapshot } = registry;
      const tool = draft(body);
      const compiled = compileTool(snapshot, findApi(snapshot, tool.apiId), tool);
      const { inputSchema } = compiled;
      try {
        const plan = resolve(compiled, validate(compiled, body.arguments));
        return { inputSchema, request: viewRequest(plan), problem: null };
      } catch (error) {
        // Arguments are often incomplete while the operator is typing.
        if (!(error instanceof HandrailError)) throw error;
        return { inputSchema, request: null, problem: error.message };
      }
    }),
    bind(toolDraftRoutes.call, ({ body, admin, signal, traceparent }) => {
      const request = trialRequest(context, { arguments: body.arguments, admin, signal, traceparent });
      return runTrial(context, context.calls.makeDraft(request, draft(body), body.name));
    }),
  ];
}
