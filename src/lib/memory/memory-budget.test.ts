import { describe, expect, it } from 'vitest';
import { MemoryBudget } from './memory-budget.ts';

describe('a memory budget', () => {
  it('grants in order as memory is released, and lets nobody overtake', () => {
    const memory = new MemoryBudget(10);
    const granted: string[] = [];
    const reserve = (name: string, bytes: number) => memory.reserve(bytes, () => granted.push(name));
    const first = reserve('first', 8);
    const large = reserve('large', 9);
    const small = reserve('small', 1);
    expect([first, large, small].map(({ isWaiting }) => isWaiting)).toEqual([false, true, true]);
    first.take(1);
    expect(granted).toEqual(['large', 'small'].slice(0, 1));
    expect(memory.used).toBe(10);
    large.release();
    expect(granted).toEqual(['large', 'small']);
    expect(memory.used).toBe(2);
  });

  it('gives what is larger than all of it a turn alone', () => {
    const memory = new MemoryBudget(10);
    const one = memory.reserve(50, () => {});
    const other = memory.reserve(50, () => {});
    expect([one.isWaiting, other.isWaiting]).toEqual([false, true]);
    one.release();
    expect([other.isWaiting, memory.used]).toEqual([false, 50]);
  });

  it('forgets those who stop waiting', () => {
    const memory = new MemoryBudget(10);
    const first = memory.reserve(10, () => {});
    let isGranted = false;
    memory.reserve(10, () => (isGranted = true)).release();
    first.release();
    expect([isGranted, memory.used]).toEqual([false, 0]);
  });

  it('is full when 256 wait', () => {
    const memory = new MemoryBudget(1);
    for (let n = 0; n < 256; n++) memory.reserve(1, () => {});
    expect(memory.isFull).toBe(false);
    memory.reserve(1, () => {});
    expect(memory.isFull).toBe(true);
  });
});
