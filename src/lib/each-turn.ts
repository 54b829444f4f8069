/**
 * Gathers what comes in during one turn of the event loop and has it handled together when the turn ends, in order.
 *
 * Under load each turn brings many requests and many replies. Taking each through all its steps at once would fetch the
 * code of every step anew for each, and let the other side fall asleep between two writes; taking all of them through a
 * step together costs a fifth less (docs/decisions/0047-a-turn-at-a-time.md). One alone waits for nothing: its turn
 * ends when there is nothing else to do. `handle` must not throw.
 */
export function eachTurn<T>(handle: (item: T) => void): (item: T) => void {
  let gathered: T[] = [];
  const handleAll = (): void => {
    const items = gathered;
    gathered = [];
    for (const item of items) handle(item);
  };
  return (item) => {
    if (gathered.push(item) === 1) setImmediate(handleAll);
  };
}
