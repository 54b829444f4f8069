import { OverBudget, type WorkBudget } from '../../work-budget.ts';

// V8 stringifies nested values recursively.
const maxDepth = 2_000;
// oxlint-disable-next-line no-control-regex -- JSON escapes them
const escaped = /["\\\u0000-\u001f\ud800-\udfff]/;

/** `JSON.stringify` for a value that may contain the same parts many times; charges for the output first. */
export function writeJson(value: unknown, budget: WorkBudget): string {
  chargeJson(value, budget);
  return JSON.stringify(value) ?? 'null';
}

function chargeJson(value: unknown, budget: WorkBudget): void {
  // Level by level, without recursion, however deep the value is.
  const open: { readonly values: readonly unknown[]; next: number }[] = [{ values: [value], next: 0 }];
  for (let level = open.at(-1); level !== undefined; level = open.at(-1)) {
    if (level.next === level.values.length) {
      open.pop();
      continue;
    }
    const each = level.values[level.next++];
    if (typeof each === 'string') {
      chargeText(each, budget);
    } else if (typeof each !== 'object' || each === null) {
      budget.spend(1, 24);
    } else {
      if (open.length > maxDepth) throw new OverBudget(`it is nested deeper than ${maxDepth} levels`);
      budget.spend(1, 2);
      if (!Array.isArray(each)) for (const key of Object.keys(each)) chargeText(key, budget);
      open.push({ values: Array.isArray(each) ? (each as unknown[]) : Object.values(each), next: 0 });
    }
  }
}

function chargeText(text: string, budget: WorkBudget): void {
  budget.spend(1 + text.length / 16, text.length + 3);
  if (!escaped.test(text)) return;
  let more = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || (code >= 0xd800 && code <= 0xdfff)) more += 5;
    else if (code === 0x22 || code === 0x5c) more++;
  }
  budget.spend(text.length / 16, more);
}
