import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { GetPromptResult, Prompt } from '@modelcontextprotocol/server';
import type { Server as PublishedServer, ServerPrompt } from '../domain/server.ts';

/** A prompt of an operator as `prompts/list` shows it. */
export function promptDefinition(prompt: ServerPrompt): Prompt {
  return {
    name: prompt.name,
    ...(prompt.title !== undefined && { title: prompt.title }),
    ...(prompt.description !== undefined && { description: prompt.description }),
    arguments: prompt.arguments.map(({ name, description, required }) => ({
      name,
      ...(description !== undefined && { description }),
      ...(required !== undefined && { required }),
    })),
  };
}

/** The prompt with its `{{argument}}` places filled. */
export function fillPrompt(
  server: PublishedServer,
  name: string,
  args: Readonly<Record<string, string>>,
): GetPromptResult {
  const prompt = server.prompts?.find((candidate) => candidate.name === name);
  if (!prompt) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Prompt ${name} not found`);
  const missing = prompt.arguments.filter(
    (argument) => argument.required && args[argument.name] === undefined,
  );
  if (missing.length > 0) {
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `Prompt ${name} needs the argument ${missing.map((argument) => `"${argument.name}"`).join(', ')}`,
    );
  }
  const known = new Set(prompt.arguments.map((argument) => argument.name));
  const text = prompt.text.replace(/\{\{\s*([\w.-]+)\s*\}\}/g, (place, key: string) =>
    known.has(key) ? (args[key] ?? '') : place,
  );
  return {
    ...(prompt.description !== undefined && { description: prompt.description }),
    messages: [{ role: 'user', content: { type: 'text', text } }],
  };
}
