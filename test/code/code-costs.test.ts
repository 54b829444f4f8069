import { describe, expect, it } from 'vitest';
import { declarationOf } from '../../src/code/declaration.ts';
import { codeDefinitions, codeInstructions } from '../../src/mcp/built-in/definitions.ts';
import { countTokens } from '../../src/listing/tokens/count-tokens.ts';
import { annotationsForMethod } from '../../src/domain/tool.ts';
import { anonymous, listedTool, serverView } from '../support/mcp-surface.ts';

describe('what code mode costs', () => {
  it('is at most a thousand tokens with ten thousand tools of twenty APIs', () => {
    const tools = Array.from({ length: 10_000 }, (_, n) => {
      const listed = listedTool(`get_thing_part_${n}`, { type: 'object' }, {});
      const slug = `a-rather-long-name-of-an-api-${n % 20}`;
      return {
        ...listed,
        compiled: {
          ...listed.compiled,
          api: { ...listed.compiled.api, slug, name: slug },
          tool: { ...listed.compiled.tool, annotations: annotationsForMethod('GET') },
        },
      };
    });
    const view = serverView('big', tools, { mode: 'code' });
    const list = JSON.stringify(codeDefinitions(view.server));
    expect(countTokens(list) + countTokens(codeInstructions(view, anonymous))).toBeLessThanOrEqual(1_000);
  });

  it('is for declarations at most 55 % of what the same schemas cost as JSON', () => {
    const item = {
      type: 'object',
      properties: {
        id: { type: 'integer', format: 'int64', description: 'The number of the issue.', example: 42 },
        title: { type: 'string', description: 'What it is about, in a line.', maxLength: 256 },
        state: { type: 'string', enum: ['open', 'closed'], description: 'Whether it is open.' },
        labels: { type: 'array', items: { $ref: '#/$defs/Label' } },
        created_at: { type: 'string', format: 'date-time', description: 'When it was made.' },
      },
      required: ['id', 'title', 'state'],
    };
    const label = {
      type: 'object',
      properties: { name: { type: 'string' }, color: { type: 'string', pattern: '^[0-9a-f]{6}$' } },
      required: ['name'],
    };
    const inputSchema = {
      type: 'object',
      properties: {
        owner: { type: 'string', description: 'The account that owns the repository.' },
        repo: { type: 'string', description: 'The name of the repository, without the extension.' },
        state: { type: 'string', enum: ['open', 'closed', 'all'], default: 'open' },
        per_page: { type: 'integer', minimum: 1, maximum: 100, description: 'Results a page.' },
      },
      required: ['owner', 'repo'],
    };
    const replySchema = { type: 'array', items: item, $defs: { Label: label } };
    const declaration = declarationOf({
      path: 'tools.github.list_issues',
      description: 'Lists the issues of a repository.',
      inputSchema,
      replySchema,
    });
    const schemas = JSON.stringify(inputSchema) + JSON.stringify(replySchema);
    expect(countTokens(declaration)).toBeLessThanOrEqual(countTokens(schemas) * 0.55);
  });
});
