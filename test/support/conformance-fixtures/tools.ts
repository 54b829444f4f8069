import {
  CLIENT_CAPABILITIES_META_KEY,
  acceptedContent,
  inputRequired,
  inputResponse,
} from '@modelcontextprotocol/server';
import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import { setTimeout as delay } from 'node:timers/promises';
import type { NativeContext, NativeTool } from '../../../src/mcp/native.ts';
import { redPixelPng, silentWav } from './samples.ts';

type Result = CallToolResult | InputRequiredResult;
type Run = (args: Record<string, unknown>, context: NativeContext) => Result | Promise<Result>;

const noArguments = { type: 'object' as const, properties: {} };

function tool(
  name: string,
  description: string,
  run: Run,
  inputSchema: NativeTool['definition']['inputSchema'] = noArguments,
): NativeTool {
  return {
    definition: { name, description, inputSchema },
    call: async (args, context) => run(args, context),
  };
}

const text = (value: string): CallToolResult => ({ content: [{ type: 'text', text: value }] });
const words = (value: unknown) => (typeof value === 'string' ? value : '');
const image = { type: 'image' as const, data: redPixelPng, mimeType: 'image/png' };

const contentTools: NativeTool[] = [
  tool('test_simple_text', 'Gives a line of text.', () =>
    text('This is a simple text response for testing.'),
  ),
  tool('test_image_content', 'Gives an image.', () => ({ content: [image] })),
  tool('test_audio_content', 'Gives a sound.', () => ({
    content: [{ type: 'audio', data: silentWav, mimeType: 'audio/wav' }],
  })),
  tool('test_embedded_resource', 'Gives a resource.', () => ({
    content: [
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
    ],
  })),
  tool('test_multiple_content_types', 'Gives text, an image and a resource.', () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      image,
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: JSON.stringify({ test: 'data', value: 123 }),
        },
      },
    ],
  })),
  tool('test_error_handling', 'Fails.', () => ({
    ...text('This tool intentionally returns an error for testing'),
    isError: true,
  })),
];

const reportingTools: NativeTool[] = [
  tool('test_tool_with_logging', 'Logs three lines while it runs.', async (_args, { mcp }) => {
    await mcp.mcpReq.log('info', 'Tool execution started');
    await delay(50);
    await mcp.mcpReq.log('info', 'Tool processing data');
    await delay(50);
    await mcp.mcpReq.log('info', 'Tool execution completed');
    return text('Logged three lines.');
  }),
  tool('test_logging_tool', 'Logs one line.', async (_args, { mcp }) => {
    await mcp.mcpReq.log('info', 'Logged by test_logging_tool');
    return text('Logged one line.');
  }),
  tool('test_tool_with_progress', 'Reports its progress.', async (_args, { mcp }) => {
    const progressToken = mcp.mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progress > 0) await delay(50);
      if (progressToken !== undefined) {
        await mcp.mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 100 },
        });
      }
    }
    return text('Done, with progress.');
  }),
  tool('test_trigger_tool_change', 'Tells listeners that the tools changed.', (_args, { announce }) => {
    announce({ tools: true });
    return text('Announced.');
  }),
  tool('test_trigger_prompt_change', 'Tells listeners that the prompts changed.', (_args, { announce }) => {
    announce({ prompts: true });
    return text('Announced.');
  }),
  tool('test_reconnection', 'Drops its stream before it answers.', async (_args, { mcp }) => {
    mcp.http?.closeSSE?.();
    await delay(100);
    return text('Reconnection test completed successfully.');
  }),
];

const askName = inputRequired.elicit({
  message: 'What is your name?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
});
const askSampling = (prompt: string, maxTokens: number) =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
    maxTokens,
  });
const ask = (message: string, field: string) =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [field]: { type: 'string' } }, required: [field] },
  });
const askConfirmation = inputRequired.elicit({
  message: 'Please confirm',
  requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
});

function sampledText(context: NativeContext, key: string): string | undefined {
  const view = inputResponse(context.mcp.mcpReq.inputResponses, key);
  if (view.kind !== 'sampling') return undefined;
  const parts = Array.isArray(view.result.content) ? view.result.content : [view.result.content];
  return parts.map((part) => ('text' in part ? part.text : '')).join('');
}

const askingTools: NativeTool[] = [
  tool(
    'test_sampling',
    "Asks the client's model.",
    (args, context) => {
      const answer = sampledText(context, 'sample');
      if (answer !== undefined) return text(`LLM response: ${answer}`);
      return inputRequired({ inputRequests: { sample: askSampling(words(args['prompt']), 100) } });
    },
    { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] },
  ),
  tool(
    'test_elicitation',
    'Asks the user.',
    (args, context) =>
      elicit(context, 'User response: ', {
        message: words(args['message']),
        properties: {
          username: { type: 'string', description: "User's response" },
          email: { type: 'string', description: "User's email address" },
        },
        required: ['username', 'email'],
      }),
    { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
  ),
  tool('test_elicitation_sep1034_defaults', 'Asks the user, with defaults.', (_args, context) =>
    elicit(context, 'Elicitation completed: ', {
      message: 'Please review these values',
      properties: {
        name: { type: 'string', default: 'John Doe' },
        age: { type: 'integer', default: 30 },
        score: { type: 'number', default: 95.5 },
        status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
        verified: { type: 'boolean', default: true },
      },
      required: [],
    }),
  ),
  tool('test_elicitation_sep1330_enums', 'Asks the user to choose.', (_args, context) =>
    elicit(context, 'Elicitation completed: ', {
      message: 'Please choose',
      properties: {
        untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
        titledSingle: {
          type: 'string',
          oneOf: [
            { const: 'value1', title: 'First Option' },
            { const: 'value2', title: 'Second Option' },
            { const: 'value3', title: 'Third Option' },
          ],
        },
        legacyEnum: {
          type: 'string',
          enum: ['opt1', 'opt2', 'opt3'],
          enumNames: ['Option One', 'Option Two', 'Option Three'],
        },
        untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
        titledMulti: {
          type: 'array',
          items: {
            anyOf: [
              { const: 'value1', title: 'First Choice' },
              { const: 'value2', title: 'Second Choice' },
              { const: 'value3', title: 'Third Choice' },
            ],
          },
        },
      },
      required: [],
    }),
  ),
  tool('test_missing_capability', 'Needs a client that can sample.', (_args, context) => {
    const answer = sampledText(context, 'sample');
    if (answer !== undefined) return text(answer);
    return inputRequired({ inputRequests: { sample: askSampling('Say anything', 10) } });
  }),
  tool('test_streaming_elicitation', 'Reports, then asks the user.', async (_args, context) => {
    const { mcp } = context;
    if (acceptedContent(mcp.mcpReq.inputResponses, 'user_name')) return text('Thank you.');
    const progressToken = mcp.mcpReq._meta?.progressToken;
    if (progressToken !== undefined) {
      await mcp.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
    }
    return inputRequired({ inputRequests: { user_name: askName } });
  }),
];

function elicit(
  context: NativeContext,
  prefix: string,
  form: { message: string; properties: Record<string, unknown>; required: string[] },
): Result {
  const answer = inputResponse(context.mcp.mcpReq.inputResponses, 'answer');
  if (answer.kind === 'elicit') {
    return text(`${prefix}action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`);
  }
  const { message, properties, required } = form;
  return inputRequired({
    inputRequests: {
      answer: {
        method: 'elicitation/create',
        params: { mode: 'form', message, requestedSchema: { type: 'object', properties, required } },
      } as ReturnType<typeof inputRequired.elicit>,
    },
  });
}

function nameGiven(context: NativeContext): string | undefined {
  const name = acceptedContent(context.mcp.mcpReq.inputResponses, 'user_name')?.['name'];
  return typeof name === 'string' ? name : undefined;
}

const inputRequiredTools: NativeTool[] = [
  tool('test_input_required_result_elicitation', 'Asks for a name.', (_args, context) => {
    const name = nameGiven(context);
    return name === undefined
      ? inputRequired({ inputRequests: { user_name: askName } })
      : text(`Hello, ${name}!`);
  }),
  tool('test_input_required_result_sampling', "Asks the client's model for a capital.", (_args, context) => {
    const answer = sampledText(context, 'capital_question');
    if (answer !== undefined) return text(answer);
    return inputRequired({
      inputRequests: { capital_question: askSampling('What is the capital of France?', 100) },
    });
  }),
  tool('test_input_required_result_list_roots', "Asks for the client's roots.", (_args, context) => {
    const view = inputResponse(context.mcp.mcpReq.inputResponses, 'client_roots');
    if (view.kind === 'roots') return text(`Roots: ${view.roots.map((root) => root.uri).join(', ')}`);
    return inputRequired({ inputRequests: { client_roots: { method: 'roots/list', params: {} } as never } });
  }),
  tool('test_input_required_result_request_state', 'Keeps its state in the client.', (_args, context) => {
    if (context.state?.value === 'asked') return text('state-ok');
    return inputRequired({
      inputRequests: { confirm: askConfirmation },
      requestState: context.mintState('asked'),
    });
  }),
  tool('test_input_required_result_tampered_state', 'Refuses a state it did not write.', (_args, context) => {
    if (context.state?.value === 'asked') return text('state-ok');
    return inputRequired({
      inputRequests: { confirm: askConfirmation },
      requestState: context.mintState('asked'),
    });
  }),
  tool('test_input_required_result_multiple_inputs', 'Asks three things at once.', (_args, context) => {
    const name = nameGiven(context);
    const greeting = sampledText(context, 'greeting');
    const roots = inputResponse(context.mcp.mcpReq.inputResponses, 'client_roots');
    if (context.state && name !== undefined && greeting !== undefined && roots.kind === 'roots') {
      return text(`${greeting}, ${name}: ${roots.roots.length} roots`);
    }
    return inputRequired({
      inputRequests: {
        user_name: askName,
        greeting: askSampling('Generate a greeting', 50),
        client_roots: { method: 'roots/list', params: {} } as never,
      },
      requestState: context.mintState('asked'),
    });
  }),
  tool('test_input_required_result_multi_round', 'Asks twice.', (_args, context) => {
    const responses = context.mcp.mcpReq.inputResponses;
    const state = context.state?.value as { name?: string } | undefined;
    if (state?.name !== undefined) {
      const color = acceptedContent(responses, 'step2')?.['color'];
      if (typeof color === 'string') return text(`${state.name} likes ${color}.`);
    }
    const name = state ? (state.name ?? acceptedContent(responses, 'step1')?.['name']) : undefined;
    if (typeof name === 'string') {
      return inputRequired({
        inputRequests: { step2: ask('Step 2: What is your favorite color?', 'color') },
        requestState: context.mintState({ name }),
      });
    }
    return inputRequired({
      inputRequests: { step1: ask('Step 1: What is your name?', 'name') },
      requestState: context.mintState({}),
    });
  }),
  tool('test_input_required_result_capabilities', 'Asks only what the client can do.', (_args, context) => {
    const envelope = context.mcp.mcpReq.envelope as
      | Record<string, Record<string, unknown> | undefined>
      | undefined;
    const able = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? {};
    const wanted = {
      ...(able['elicitation'] ? { user_name: askName } : {}),
      ...(able['sampling'] ? { greeting: askSampling('Generate a greeting', 50) } : {}),
    };
    if (Object.keys(wanted).length === 0 || context.mcp.mcpReq.inputResponses)
      return text('Nothing more to ask.');
    return inputRequired({ inputRequests: wanted });
  }),
];

const schemaTools: NativeTool[] = [
  tool('json_schema_2020_12_tool', 'Has a schema with much of JSON Schema 2020-12.', () => text('ok'), {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: {
      address: {
        $anchor: 'addressDef',
        type: 'object',
        properties: { street: { type: 'string' }, city: { type: 'string' } },
      },
    },
    properties: {
      name: { type: 'string' },
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: { type: 'string' },
      email: { type: 'string' },
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    // oxlint-disable-next-line unicorn/no-thenable
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  }),
  tool('test_custom_header', 'Mirrors its argument in a header.', (args) => text(words(args['region'])), {
    type: 'object',
    properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
    required: ['region'],
  }),
];

/** Every tool the official conformance suite calls, by name. */
export const conformanceTools: ReadonlyMap<string, NativeTool> = new Map(
  [...contentTools, ...reportingTools, ...askingTools, ...inputRequiredTools, ...schemaTools].map((one) => [
    one.definition.name,
    one,
  ]),
);
