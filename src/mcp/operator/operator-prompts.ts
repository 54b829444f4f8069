import type { GetPromptResult, Prompt } from '@modelcontextprotocol/server';
import type { Server as PublishedServer, ServerPrompt } from '../../domain/server.ts';
import { invalidParams, RpcFault } from '../core/rpc-fault.ts';

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

/** The prompt with its `{{argument}}` placeholders filled. */
export function fillPrompt(
  server: PublishedServer,
  name: string,
  args: Readonly<Record<string, string>>,
): GetPromptResult {
  const prompt = server.prompts?.find((candidate) => candidate.name === name);
  if (!prompt) throw new RpcFault(invalidParams, `Prompt ${name} not found`);
  const missing = prompt.arguments.filter(
    (argument) => argument.required && args[argument.name] === undefined,
  );
  if (missing.length > 0) {
    throw new RpcFault(
      invalidParams,
      `Prompt ${name} needs the argument ${missing.map((argument) => `"${argument.name}"`).join(', ')}`,
    );
  }
  const names = prompt.arguments.map((argument) => argument.name);
  const text = fillPlaces(prompt.text, names, (key) => args[key]);
  return {
    ...(prompt.description !== undefined && { description: prompt.description }),
    messages: [{ role: 'user', content: { type: 'text', text } }],
  };
}

/** An operator's text with its `{{name}}` placeholders filled; braces around other names are left alone. */
export function fillPlaces(
  text: string,
  names: readonly string[],
  valueOf: (name: string) => string | undefined,
): string {
  return text.replace(/\{\{([^{}]+)\}\}/g, (place, inside: string) => {
    const name = inside.trim();
    return names.includes(name) ? (valueOf(name) ?? '') : place;
  });
}
