import type { NativeFeatures, NativeResources } from '../../../src/mcp/native.ts';
import { conformancePrompts } from './prompts.ts';
import { redPixelPng } from './samples.ts';
import { conformanceTools } from './tools.ts';

const resources: NativeResources = {
  subscribable: true,
  list: [
    {
      uri: 'test://static-text',
      name: 'Static text',
      description: 'A text that never changes.',
      mimeType: 'text/plain',
    },
    {
      uri: 'test://static-binary',
      name: 'Static image',
      description: 'An image that never changes.',
      mimeType: 'image/png',
    },
    {
      uri: 'test://watched-resource',
      name: 'Watched',
      description: 'A text to subscribe to.',
      mimeType: 'text/plain',
    },
  ],
  templates: [
    {
      uriTemplate: 'test://template/{id}/data',
      name: 'Template',
      description: 'A document for each id.',
      mimeType: 'application/json',
    },
  ],
  async read(uri) {
    if (uri === 'test://static-text') {
      const text = 'This is the content of the static text resource.';
      return { contents: [{ uri, mimeType: 'text/plain', text }] };
    }
    if (uri === 'test://static-binary')
      return { contents: [{ uri, mimeType: 'image/png', blob: redPixelPng }] };
    if (uri === 'test://watched-resource') {
      return { contents: [{ uri, mimeType: 'text/plain', text: 'Watched resource content.' }] };
    }
    const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
    if (id === undefined) return undefined;
    const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
    return { contents: [{ uri, mimeType: 'application/json', text }] };
  },
};

/**
 * The fixtures of the official conformance suite (https://github.com/modelcontextprotocol/conformance), served at
 * `/mcp/conformance` beside the REST tools by `test/conformance/serve.mjs`.
 */
export const conformanceFeatures: NativeFeatures = {
  tools: conformanceTools,
  prompts: conformancePrompts,
  resources,
  logging: true,
  complete(ref, argument) {
    const { name } = ref as { name?: string };
    if (name === undefined || !conformancePrompts.has(name)) return undefined;
    const values = ['paris', 'park', 'party', 'hello', 'world'].filter((value) =>
      value.startsWith(argument.value),
    );
    return { completion: { values, total: values.length, hasMore: false } };
  },
};
