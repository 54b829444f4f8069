import { describe, expect, it } from 'vitest';
import { createCloseStack } from './close-stack.ts';

describe('a close stack', () => {
  it('closes what was opened last first, one after the other', async () => {
    const { onClose, closeAll } = createCloseStack();
    const closed: string[] = [];
    onClose(() => closed.push('first'));
    onClose(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      closed.push('second');
    });
    onClose(() => closed.push('third'));
    await closeAll();
    expect(closed).toEqual(['third', 'second', 'first']);
  });

  it('closes the rest when one fails, and tells the first failure', async () => {
    const { onClose, closeAll } = createCloseStack();
    const closed: string[] = [];
    onClose(() => closed.push('first'));
    onClose(() => Promise.reject(new Error('second')));
    onClose(() => {
      throw new Error('third');
    });
    await expect(closeAll()).rejects.toThrow('third');
    expect(closed).toEqual(['first']);
  });

  it('closes nothing twice', async () => {
    const { onClose, closeAll } = createCloseStack();
    let times = 0;
    onClose(() => times++);
    await closeAll();
    await closeAll();
    expect(times).toBe(1);
  });
});
