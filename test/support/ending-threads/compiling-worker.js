// Never ends: makes functions that V8 compiles aside, with constants that it puts together while it does, and fills the heap.
import { parentPort } from 'node:worker_threads';

parentPort.postMessage('compiling');
let kept = [];
for (let at = 0; ; at++) {
  // oxlint-disable-next-line typescript/no-implied-eval -- each is new to V8, so that there is always one to compile
  const make = new Function(
    'value',
    `const made = [];
     for (let i = 0; i < 400; i++) made.push({ text: '${'a'.repeat(30)}' + '${'b'.repeat(40)}' + value, at: ${at} });
     return made;`,
  );
  for (let i = 0; i < 60; i++) kept.push(make(i));
  if (kept.length > 3000) kept = kept.slice(2000);
}
