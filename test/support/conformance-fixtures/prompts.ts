import { acceptedContent, inputRequired } from '@modelcontextprotocol/server';
import type { GetPromptResult } from '@modelcontextprotocol/server';
import type { NativePrompt } from '../../../src/mcp/native.ts';
import { redPixelPng } from './samples.ts';

const user = (content: GetPromptResult['messages'][number]['content']) => ({
  role: 'user' as const,
  content,
});
const says = (text: string) => user({ type: 'text', text });

const prompts: NativePrompt[] = [
  {
    definition: { name: 'test_simple_prompt', description: 'A prompt without arguments.' },
    get: async () => ({ messages: [says('This is a simple prompt for testing.')] }),
  },
  {
    definition: {
      name: 'test_prompt_with_arguments',
      description: 'A prompt with two arguments.',
      arguments: [
        { name: 'arg1', description: 'First test argument', required: true },
        { name: 'arg2', description: 'Second test argument', required: true },
      ],
    },
    get: async (args) => ({
      messages: [says(`Prompt with arguments: arg1='${args['arg1'] ?? ''}', arg2='${args['arg2'] ?? ''}'`)],
    }),
  },
  {
    definition: {
      name: 'test_prompt_with_embedded_resource',
      description: 'A prompt that carries a resource.',
      arguments: [{ name: 'resourceUri', description: 'URI of the resource to embed', required: true }],
    },
    get: async (args) => ({
      messages: [
        user({
          type: 'resource',
          resource: {
            uri: args['resourceUri'] ?? '',
            mimeType: 'text/plain',
            text: 'Embedded resource content for testing.',
          },
        }),
        says('Please process the embedded resource above.'),
      ],
    }),
  },
  {
    definition: { name: 'test_prompt_with_image', description: 'A prompt that carries an image.' },
    get: async () => ({
      messages: [
        user({ type: 'image', data: redPixelPng, mimeType: 'image/png' }),
        says('Please analyze the image above.'),
      ],
    }),
  },
  {
    definition: {
      name: 'test_input_required_result_prompt',
      description: 'A prompt that asks the user first.',
    },
    get: async (_args, { mcp }) => {
      const context = acceptedContent(mcp.mcpReq.inputResponses, 'user_context')?.['context'];
      if (typeof context === 'string') return { messages: [says(`Use this context: ${context}`)] };
      return inputRequired({
        inputRequests: {
          user_context: inputRequired.elicit({
            message: 'What context should the prompt use?',
            requestedSchema: {
              type: 'object',
              properties: { context: { type: 'string' } },
              required: ['context'],
            },
          }),
        },
      });
    },
  },
];

/** Every prompt the official conformance suite gets, by name. */
export const conformancePrompts: ReadonlyMap<string, NativePrompt> = new Map(
  prompts.map((prompt) => [prompt.definition.name, prompt]),
);
