import { expect, it } from 'vitest';
import type { DescribedOperation } from '../../domain/description.ts';
import { createDefinitionSharing } from './share-definitions.ts';

const operation = (defs: object, replyDefs: object): DescribedOperation =>
  ({
    key: 'GET /a',
    wantedName: 'a',
    at: '#',
    notes: [],
    content: {
      operation: { method: 'GET', path: '/a', parameters: [], defs, replySchema: { $defs: replyDefs } },
    },
  }) as unknown as DescribedOperation;
const defsOf = ({ content }: DescribedOperation) => content!.operation.defs!;

it('gives operations one copy of equal definitions, and leaves different ones of the same name alone', () => {
  const share = createDefinitionSharing();
  const first = operation({ A: { type: 'string' }, B: { type: 'string' } }, { A: { type: 'object' } });
  const second = operation({ A: { type: 'string' }, B: { type: 'number' } }, { A: { type: 'object' } });
  const before = structuredClone(second);
  share([first]);
  share([second]);
  expect(second).toEqual(before);
  expect(defsOf(second)['A']).toBe(defsOf(first)['A']);
  expect(defsOf(second)['B']).toEqual({ type: 'number' });
  expect(second.content!.operation.replySchema!['$defs']).toEqual({ A: { type: 'object' } });
});
