import { describe, expect, it } from 'vitest';
import { listedTool, modern, post, serverView, startSurface } from '../../../test/support/mcp-surface.ts';
import { chooseDialect, dialects } from './dialects.ts';
import { renderDialect } from './render-dialect.ts';
import { shownNames } from './shown-names.ts';

describe('choosing a dialect', () => {
  it('asks the address, then the server, then the client', () => {
    expect(chooseDialect('strict', 'portable', 'cursor-vscode').name).toBe('strict');
    expect(chooseDialect(undefined, 'portable', 'gemini-cli').name).toBe('portable');
    expect(chooseDialect(undefined, undefined, 'Cursor').name).toBe('cursor');
    expect(chooseDialect(undefined, undefined, 'gemini-cli-mcp-client').name).toBe('gemini');
    expect(chooseDialect(undefined, undefined, 'claude-code').name).toBe('strict');
    expect(chooseDialect('nonsense', undefined, undefined).name).toBe('strict');
  });
});

describe('a dialect', () => {
  const long = 'repository_pull_request_review_comments_list_for_one_file_of_it';

  it('shortens names, keeps them unique and finds the tool again', async () => {
    const view = serverView('github', [
      listedTool(long),
      listedTool(`${long.slice(0, -1)}X`),
      listedTool('short'),
    ]);
    const { renamed, byShown } = shownNames(view, dialects.cursor);
    const shown = [...renamed.values()];
    expect(new Set(shown).size).toBe(2);
    for (const name of shown) expect('handrail-github'.length + 1 + name.length).toBeLessThanOrEqual(60);
    expect(byShown.get(renamed.get(long)!)?.name).toBe(long);
    expect(byShown.get('short')?.name).toBe('short');
  });

  it('serves shortened names and calls the real tool', async () => {
    const surface = await startSurface({ views: [serverView('github', [listedTool(long)])] });
    try {
      const cursor = {
        _meta: { 'io.modelcontextprotocol/clientInfo': { name: 'cursor-vscode', version: '1' } },
      };
      const list = modern('tools/list', cursor);
      const { json } = await post(surface.url('github'), list.body, list.headers);
      const [tool] = json.result.tools as { name: string; title: string }[];
      expect(tool!.name.length).toBeLessThanOrEqual(44);
      expect(tool!.title).toBe(long);
      const call = modern('tools/call', { ...cursor, name: tool!.name, arguments: {} });
      expect(
        (await post(surface.url('github'), call.body, call.headers)).json.result.isError,
      ).toBeUndefined();
      expect(surface.calls[0]?.toolName).toBe(long);
    } finally {
      await surface.stop();
    }
  });

  it('tells everything it changed about a tool', () => {
    const { tool, changes } = renderDialect(
      {
        name: 't',
        description: 'x '.repeat(800),
        inputSchema: { type: 'object', properties: { n: { type: ['integer', 'null'], format: 'int32' } } },
        outputSchema: { type: 'object' },
      },
      dialects.portable,
    );
    expect(tool.outputSchema).toBeUndefined();
    expect(tool.description!.length).toBeLessThanOrEqual(1024);
    expect(changes.map((change) => change.path)).toEqual([
      '/inputSchema/properties/n/format',
      '/inputSchema/properties/n/type',
      '/outputSchema',
      '/description',
    ]);
  });
});
