import { describe, expect, it } from 'vitest';
import type { Caller } from '../domain/call.ts';
import { noFollowUp } from '../domain/pages/follow-up.ts';
import type { Call } from '../pipeline/call.ts';
import { listedTool, serverView } from '../../test/support/mcp-surface.ts';
import { type CallRequest, createCallMaker } from './make-call.ts';

const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const caller: Caller = { id: 'key:1', kind: 'key', label: 'one' };
const request: CallRequest = {
  caller,
  client: { name: 'client' },
  surface: 'rest',
  arguments: { a: 1 },
  signal: new AbortController().signal,
  clientHeaders: { 'x-user': 'ada' },
  traceparent: trace,
  followUp: noFollowUp,
};
const view = serverView('demo', [listedTool('read'), listedTool('write')]);
const calls = createCallMaker({ traced: false, now: () => 1_000 });
const only = (...ids: string[]): Caller => ({ ...caller, toolIds: new Set(ids) });

// @ts-expect-error -- a call is made here and nowhere else, however complete it looks
export const forged: Call = { ...request, id: 'call_1', parentId: null, trace: null };

describe('a call of a published tool', () => {
  it('is what was asked for, with an id and a place in the client’s trace', () => {
    const call = calls.make({ ...request, view, toolName: 'read' })!;
    const { traceparent: _traceparent, ...asked } = request;
    expect(call).toMatchObject({ ...asked, toolName: 'read', server: view.server, parentId: null });
    expect(call.tool).toBe(view.byName.get('read')!.compiled);
    expect(call.id).toMatch(/^call_[0-9A-Z]{26}$/);
    expect(call.trace).toMatchObject({
      traceId: '0af7651916cd43dd8448eb211c80319c',
      parentId: 'b7ad6b7169203331',
      sampled: true,
    });
  });

  it.each([
    ['an unknown tool', caller, 'nothing'],
    ['a name that objects have anyway', caller, 'constructor'],
    ['a tool outside the caller’s own', only('tool_write'), 'read'],
    ['any tool, when the caller may call none', only(), 'read'],
  ])('is not made of %s', (_what, who, toolName) => {
    expect(calls.make({ ...request, caller: who, view, toolName })).toBeUndefined();
  });

  it.each([
    undefined,
    null,
    7,
    '',
    'x',
    `${trace}-more`,
    trace.replace('0af7651916cd43dd8448eb211c80319c', '0'.repeat(32)),
  ])('has no trace when the client’s is %j, unless traces are exported', (traceparent) => {
    const asked = { ...request, traceparent, view, toolName: 'read' };
    expect(calls.make(asked)!.trace).toBeNull();
    const traced = createCallMaker({ traced: true, now: () => 1_000 });
    expect(traced.make(asked)!.trace).toMatchObject({ parentId: null, sampled: true });
  });
});

describe('a call that another call makes', () => {
  const parent = calls.make({ ...request, caller: only('tool_read'), view, toolName: 'read' })!;

  it('is the same caller’s, in the same trace, and a call of its own', () => {
    const child = calls.makeChild(parent, view, 'read', { b: 2 })!;
    expect(child).toMatchObject({
      parentId: parent.id,
      caller: parent.caller,
      client: parent.client,
      surface: parent.surface,
      signal: parent.signal,
      clientHeaders: parent.clientHeaders,
      arguments: { b: 2 },
    });
    expect(child.id).not.toBe(parent.id);
    expect(child.trace).toMatchObject({
      traceId: parent.trace!.traceId,
      parentId: parent.trace!.spanId,
      sampled: true,
    });
    expect(child.trace!.spanId).not.toBe(parent.trace!.spanId);
    expect(calls.makeChild(child, view, 'read', {})!.parentId).toBe(child.id);
  });

  it('is not made of what the caller may not call, or no longer finds on the server', () => {
    expect(calls.makeChild(parent, view, 'write', {})).toBeUndefined();
    expect(calls.makeChild(parent, serverView('demo', []), 'read', {})).toBeUndefined();
  });
});
