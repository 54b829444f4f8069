import { arrayOr, objectOr, textOr } from '../../lib/json/plain-object.ts';
import type { Answer, ModelTool, Turn } from '../messages.ts';

/**
 * Answers without a language model, so that the playground can be tried without a key: it calls the tool whose name and
 * description share the most words with the question, then says what came back.
 */
export function answerAsDemo({ messages, tools }: Turn): Answer {
  const last = messages.at(-1);
  const question = messages.findLast(({ role }) => role === 'user')?.text ?? '';
  if (last?.role === 'tool') return said(reportOf(last));
  const tool = bestMatch(question, tools);
  if (tool === undefined)
    return said(
      `I am a demo model that follows a script, and none of this server's ${tools.length} listed tools matches the words of your question.`,
    );
  const call = {
    id: `demo_${messages.length}`,
    name: tool.name,
    arguments: JSON.stringify(argumentsFor(tool, question)),
  };
  return { text: `I'll call \`${tool.name}\`.`, calls: [call], tokens: null, isCut: false };
}

const said = (text: string): Answer => ({ text, calls: [], tokens: null, isCut: false });

const maxQuotedChars = 600;

function reportOf({ name, text, failed }: { name: string; text: string; failed: boolean }): string {
  const quoted = text.length > maxQuotedChars ? `${text.slice(0, maxQuotedChars)}…` : text;
  return [
    failed ? `\`${name}\` failed:` : `\`${name}\` answered:`,
    `\`\`\`\n${quoted.replaceAll('```', "'''")}\n\`\`\``,
    'I am a demo model: I follow a script and understand neither your question nor this answer. Add a real model under **Models**.',
  ].join('\n\n');
}

const wordsOf = (text: string): Set<string> =>
  new Set(
    text
      .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}\d]{3,}/gu),
  );

function bestMatch(question: string, tools: readonly ModelTool[]): ModelTool | undefined {
  const asked = wordsOf(question);
  const score = ({ name, description }: ModelTool) => {
    const inName = [...wordsOf(name)].filter((word) => asked.has(word)).length;
    return 2 * inName + [...wordsOf(description)].filter((word) => asked.has(word)).length;
  };
  const [best] = tools.map((tool) => ({ tool, score: score(tool) })).sort((a, b) => b.score - a.score);
  // A server in search mode lists a tool that finds the others.
  if (best === undefined || best.score === 0) return tools.find(({ name }) => name === 'search_tools');
  return best.tool;
}

function argumentsFor({ name, inputSchema }: ModelTool, question: string): Record<string, unknown> {
  const properties = objectOr(inputSchema['properties']);
  const required = arrayOr(inputSchema['required']).filter((key) => typeof key === 'string');
  return Object.fromEntries(
    required.map((key) => [
      key,
      valueFor(objectOr(properties[key]), name === 'search_tools' ? question : '', question),
    ]),
  );
}

/** An example of what a schema allows; for text, a name from the question. */
function valueFor(schema: Readonly<Record<string, unknown>>, whole: string, question: string): unknown {
  const [example] = [
    schema['default'],
    schema['example'],
    ...arrayOr(schema['examples']),
    ...arrayOr(schema['enum']),
  ].filter((value) => value !== undefined);
  if (example !== undefined) return example;
  switch (textOr(schema['type'])) {
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'object':
      return {};
    default:
      return whole || (/\s(\p{Lu}[\p{L}\d-]+)/u.exec(question)?.[1] ?? question.slice(0, 100));
  }
}
