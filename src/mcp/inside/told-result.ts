import type { CallToolResult } from '@modelcontextprotocol/server';

/** What a model reads of a result, and what is meant for its user alone. */
export interface ToldResult {
  readonly text: string;
  readonly shown: string;
  readonly failed: boolean;
}

type Part = CallToolResult['content'][number];

/** A result in words, as clients hand it to models that read nothing else. */
export function toldResult({ content, isError }: CallToolResult): ToldResult {
  const isForUser = ({ annotations }: Part) =>
    annotations?.audience?.length === 1 && annotations.audience[0] === 'user';
  const words = (parts: readonly Part[]) => parts.map(wordsOf).join('\n');
  return {
    text: words(content.filter((part) => !isForUser(part))),
    shown: words(content.filter(isForUser)),
    failed: isError === true,
  };
}

function wordsOf(part: Part): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'image':
    case 'audio':
      return `[${part.type}, ${part.mimeType}]`;
    case 'resource_link':
      return `[${part.name}](${part.uri})`;
    case 'resource':
      return 'text' in part.resource
        ? part.resource.text
        : `[file, ${part.resource.mimeType ?? 'application/octet-stream'}]`;
  }
}
