import { describe, expect, it } from 'vitest';
import { WorkBudget } from '../work-budget.ts';
import { findPii, type PiiPattern, withPlainDigits } from './find-pii.ts';

const plenty = () => new WorkBudget({ steps: 1e9, bytes: 1e9 });

function found(find: PiiPattern['find'], text: string, pattern?: string): string[] {
  return findPii({ name: find, find, pattern }, withPlainDigits(text), plenty()).map(([from, to]) =>
    text.slice(from, to),
  );
}

describe('findPii', () => {
  it.each([
    ['pay 4111111111111111 now', '4111111111111111'],
    ['pay 4111 1111 1111 1111 123 now', '4111 1111 1111 1111'],
    ['5555-5555-5555-4444', '5555-5555-5555-4444'],
    ['3782 822463 10005', '3782 822463 10005'],
    ['{"n":6011111111111117}', '6011111111111117'],
    ['30569309025904', '30569309025904'],
    ['2223003122003222', '2223003122003222'],
    ['4111\u00a01111\u20111111 1111', '4111\u00a01111\u20111111 1111'],
    ['٤١١١١١١١١١١١١١١١', '٤١١١١١١١١١١١١١١١'],
    ['4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1', '4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1'],
    ['4111.1111.1111.1111', '4111.1111.1111.1111'],
  ])('finds the card number in %j', (text, card) => {
    expect(found('card', text)).toEqual([card]);
  });

  it.each([
    '4111111111111112',
    '41111111111111111111111',
    '1731960000000',
    '0.4111111111111111',
    '40.712776 -74.005974 40.71',
    '4111,1111,1111,1111',
    '12 4111 9 11111111 111',
  ])('finds no card number in %j', (text) => {
    expect(found('card', text)).toEqual([]);
  });

  it.each([
    ['DE89370400440532013000', 'DE89370400440532013000'],
    ['to DE89 3704 0044 0532 0130 00 today', 'DE89 3704 0044 0532 0130 00'],
    ['gb29 nwbk 6016 1331 9268 19', 'gb29 nwbk 6016 1331 9268 19'],
    ['NO9386011117947.', 'NO9386011117947'],
    ['"FR1420041010050500013M02606"', 'FR1420041010050500013M02606'],
  ])('finds the IBAN in %j', (text, iban) => {
    expect(found('iban', text)).toEqual([iban]);
  });

  it.each([
    'DE89370400440532013001',
    'XX89370400440532013000',
    'DE8937040044053201300',
    'ADE89370400440532013000',
  ])('finds no IBAN in %j', (text) => {
    expect(found('iban', text)).toEqual([]);
  });

  it.each([
    ['write to jane.doe+x@mail.example.co.uk.', ['jane.doe+x@mail.example.co.uk']],
    ['<a@b.io>,c@d.org', ['a@b.io', 'c@d.org']],
    ["'o'brien@example.com'", ["o'brien@example.com"]],
    ['jürgen@bücher.example', ['jürgen@bücher.example']],
    ['a@@b.com x@y @z.com p@1.2.3 a@localhost', []],
  ])('finds the email addresses in %j', (text, emails) => {
    expect(found('email', text)).toEqual(emails);
  });

  it.each([
    ['+49 151 23456789', ['+49 151 23456789']],
    ['call (415) 555-2671 or 415.555.2671', ['(415) 555-2671', '415.555.2671']],
    ['tel:+14155552671', ['+14155552671']],
    ['0049 30 901820', ['0049 30 901820']],
    ['06 12 34 56 78', ['06 12 34 56 78']],
    ['030/1234567', ['030/1234567']],
    ['01/02/2024 10:30, 2024-11-18T20:00:00+01:00, 10.0.0.1, 0123456789, 1e+12345678', []],
  ])('finds the phone numbers in %j', (text, phones) => {
    expect(found('phone', text)).toEqual(phones);
  });

  it('finds what an own expression says, across the windows it sees', () => {
    const text = `${'x'.repeat(4_090)} AB123456 ${'x '.repeat(3_000)} CD654321`;
    expect(found('pattern', text, String.raw`\b[A-Z]{2}\d{6}\b`)).toEqual(['AB123456', 'CD654321']);
    expect(found('pattern', 'abc', 'z*')).toEqual([]);
  });

  it('spends work in proportion to the length, whatever the expression', () => {
    const text = 'a'.repeat(12_000);
    const steps = (length: number, pattern: string): number => {
      let spent = 0;
      const counting = new WorkBudget({ steps: 1e12, bytes: 0 });
      const spend = counting.spend.bind(counting);
      counting.spend = (more, bytes) => {
        spent += more;
        spend(more, bytes);
      };
      findPii({ name: 'x', find: 'pattern', pattern }, text.slice(0, length), counting);
      return spent;
    };
    expect(steps(12_000, 'a.*b|a') / steps(6_000, 'a.*b|a')).toBeLessThan(2.6);
    expect(() =>
      findPii(
        { name: 'x', find: 'pattern', pattern: 'a.*b|a' },
        text,
        new WorkBudget({ steps: 1e6, bytes: 0 }),
      ),
    ).toThrow('steps');
  });
});
