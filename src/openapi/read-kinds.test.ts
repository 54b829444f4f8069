import { describe, expect, it } from 'vitest';
import { kindOf } from '../domain/tool.ts';
import { readDocument } from './read-document.ts';

function read(paths: Record<string, unknown>) {
  const document = { openapi: '3.0.3', info: { title: 'T', version: '1' }, paths };
  return readDocument({ root: 'a.json', files: new Map([['a.json', document]]) }).operations;
}

describe('an action that a document has as GET and as POST', () => {
  it('is one tool, the POST, under the name of the action; the GET is reported', () => {
    const twins = (action: string) => ({
      [`/#Action=${action}`]: {
        get: { operationId: `GET_${action}`, responses: {} },
        post: { operationId: `POST_${action}`, responses: {} },
      },
    });
    const operations = read({ ...twins('DeleteCluster'), ...twins('DescribeClusters') });
    expect(operations.map(({ key, content }) => [key, content && [content.name, kindOf(content)]])).toEqual([
      ['GET /#Action=DeleteCluster', null],
      ['POST /#Action=DeleteCluster', ['DeleteCluster', 'destructive']],
      ['GET /#Action=DescribeClusters', null],
      ['POST /#Action=DescribeClusters', ['DescribeClusters', 'read']],
    ]);
    expect(operations[0]!.notes).toMatchObject([{ code: 'same_action' }]);
  });

  it('is two tools where the names differ, or the path has no action', () => {
    const paths = {
      '/#Action=A': {
        get: { operationId: 'GET_A', responses: {} },
        post: { operationId: 'POST_B', responses: {} },
      },
      '/c': { get: { operationId: 'GET_C', responses: {} }, post: { operationId: 'POST_C', responses: {} } },
    };
    expect(read(paths).every(({ content }) => content !== null)).toBe(true);
  });
});

describe('a kind that the method does not imply', () => {
  it('has a note that names the word', () => {
    const [operation] = read({ '/x': { get: { operationId: 'purgeQueue', responses: {} } } });
    expect(operation!.notes).toMatchObject([
      {
        code: 'kind_by_meaning',
        message: `Marked destructive, which its method GET doesn't imply: its name says "purge".`,
      },
    ]);
  });

  it('is what the document says for agents, if it says so', () => {
    const [operation] = read({
      '/x': { get: { operationId: 'purgeQueue', 'x-mcp': { readOnlyHint: true }, responses: {} } },
    });
    expect(kindOf(operation!.content!)).toBe('read');
  });
});
