import { writeFile } from 'node:fs/promises';
import { withAdminClient } from '../admin-client.ts';
import { type Command, oneWord, text, UsageError } from '../command.ts';
import { showDone } from '../show.ts';

/** Downloads a CPU or heap profile of a running gateway. */
export const profile: Command = {
  summary: 'download a CPU or heap profile of a running gateway',
  usage: 'cpu|heap --url URL [--seconds N] [--out FILE]',
  options: {
    seconds: { type: 'string', value: 'N', about: 'How long to profile, 1 to 60; the default is 10.' },
    out: { type: 'string', value: 'FILE', about: 'The file to write; the default is named after the time.' },
  },
  examples: [
    'handrail profile cpu --url http://127.0.0.1:8080',
    'handrail profile heap --seconds 60 --out gateway.heapprofile --url https://tools.example.com',
  ],
  async run(input) {
    const kind = oneWord(input, 'the kind of profile (cpu or heap)');
    if (kind !== 'cpu' && kind !== 'heap') throw new UsageError('the kind of profile must be cpu or heap');
    if (input.url === undefined) throw new UsageError('--url must name the gateway to profile');
    const seconds = Number(text(input, 'seconds') ?? 10);
    if (!Number.isInteger(seconds) || seconds < 1 || seconds > 60)
      throw new UsageError('--seconds must be a whole number from 1 to 60');
    const stamp = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
    const file = text(input, 'out') ?? `handrail-${stamp}.${kind}profile`;
    return withAdminClient(input, async (client) => {
      const taken = await client.request('POST', '/profiles', { kind, seconds });
      await writeFile(file, JSON.stringify(taken), { mode: 0o600 });
      return showDone(input, `${file}: written. Open it in the developer tools of a browser.`, { file });
    });
  },
};
