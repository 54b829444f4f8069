import { getRegisteredFunctions, search } from '@jmespath-community/jmespath';
import { describe, expect, it } from 'vitest';
import { selectFunctions } from './functions.ts';
import { readGivenSelect, readSelect } from './select-part.ts';

describe('an expression that is wrong whatever it is applied to', () => {
  it.each([
    'unknown_fn(@)',
    'a[?starts_wth(b, `"c"`)].d',
    '[].{id: id, n: lenght(name)}',
    'sort_by(@)',
    'sort_by(@, name)',
    'length(&name)',
    'length(a, b)',
    'not_null()',
    'items[::0]',
    'let $n = nothing(@) in $n',
  ])('is refused before anything is read: %s', (expression) => {
    expect(() => readGivenSelect(expression)).toThrow(/is not a JMESPath expression/);
    // An operator may have stored one: it fails where it is applied, as it did.
    expect(() => readSelect(expression)).not.toThrow();
  });

  it.each([
    'sort_by(@, &name)[].id',
    'map(&id, @)',
    'not_null(a, b, `{"type":"Function","name":"x"}`)',
    'a[::-1]',
  ])('is not what only looks like one: %s', (expression) => {
    expect(() => readSelect(expression)).not.toThrow();
  });

  it('is told by the functions that there are, and by how many arguments they take', () => {
    expect([...selectFunctions.keys()].toSorted()).toEqual(getRegisteredFunctions().toSorted());
    for (const [name, { min, max }] of selectFunctions)
      for (let count = 0; count <= 5; count++)
        expect(isRefused(name, count), `${name} with ${count}`).toBe(count < min || count > max);
  });
});

function isRefused(name: string, count: number): boolean {
  try {
    search({}, `${name}(${Array.from({ length: count }, () => '@').join(', ')})`);
    return false;
  } catch (error) {
    return /arity/i.test(String(error));
  }
}
