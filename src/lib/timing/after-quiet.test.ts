import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { afterQuiet } from './after-quiet.ts';

describe('what runs once it is quiet', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('runs once for many reasons in a moment, and again for later ones', () => {
    const run = vi.fn<() => void>();
    const { ask } = afterQuiet(run, 100, 1_000);
    for (let i = 0; i < 50; i++) ask();
    expect(run).not.toHaveBeenCalled();
    vi.advanceTimersByTime(100);
    expect(run).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(5_000);
    expect(run).toHaveBeenCalledTimes(1);
    ask();
    vi.advanceTimersByTime(100);
    expect(run).toHaveBeenCalledTimes(2);
  });

  it('is put off by reasons that go on, but not for ever', () => {
    const run = vi.fn<() => void>();
    const { ask } = afterQuiet(run, 100, 1_000);
    for (let passed = 0; passed < 2_500; passed += 50) {
      ask();
      vi.advanceTimersByTime(50);
    }
    expect(run).toHaveBeenCalledTimes(2);
  });

  it('does not run once it was stopped', () => {
    const run = vi.fn<() => void>();
    const { ask, stop } = afterQuiet(run, 100, 1_000);
    ask();
    stop();
    vi.advanceTimersByTime(5_000);
    expect(run).not.toHaveBeenCalled();
  });
});
