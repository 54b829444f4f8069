// Loaded into a measured process (`node --require`): SIGUSR2 starts sampling, and the next one writes the
// profile.
const { writeFileSync } = require('node:fs');
const { Session } = require('node:inspector');
const { isMainThread } = require('node:worker_threads');

const file = process.env.BENCH_PROFILE_FILE;
let session = null;

function begin() {
  session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.setSamplingInterval', { interval: 1_000 });
  session.post('Profiler.start');
}

function end() {
  session.post('Profiler.stop', (error, stopped) => {
    if (error) throw error;
    writeFileSync(file, JSON.stringify(stopped.profile));
  });
  session.disconnect();
  session = null;
}

if (file && isMainThread) process.on('SIGUSR2', () => (session === null ? begin() : end()));
