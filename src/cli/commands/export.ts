import { writeFile } from 'node:fs/promises';
import { exportOmissions, handsaiOmissions } from '../../domain/export-omissions.ts';
import { withAdminClient } from '../admin-client.ts';
import { type Command, exitCode, text, texts, UsageError } from '../command.ts';

/** Exports APIs with their tools, and servers. */
export const exportCommand: Command = {
  summary: 'export APIs with their tools, and servers, without secrets',
  usage: '[API …] [--server SLUG …] [--format handrail|handsai] [--out FILE]',
  options: {
    format: { type: 'string', value: 'FORMAT', about: 'handrail (complete, the default) or handsai.' },
    server: {
      type: 'string',
      multiple: true,
      value: 'SLUG',
      about: 'Export this server too; without APIs and servers, everything is exported.',
    },
    out: { type: 'string', value: 'FILE', about: 'Write to this file instead of standard output.' },
  },
  needsStore: true,
  examples: ['handrail export > apis.json', 'handrail export pets --format handsai --out pets.json'],
  run(input) {
    const format = text(input, 'format') ?? 'handrail';
    if (format !== 'handrail' && format !== 'handsai')
      throw new UsageError('--format must be handrail or handsai');
    return withAdminClient(input, async (client) => {
      const servers = texts(input, 'server');
      const chosen = [
        input.words.length === 0 ? '' : `&api=${encodeURIComponent(input.words.join(','))}`,
        servers.length === 0 ? '' : `&server=${encodeURIComponent(servers.join(','))}`,
      ].join('');
      const document = JSON.stringify(
        await client.request('GET', `/export?format=${format}${chosen}`),
        null,
        2,
      );
      const file = text(input, 'out');
      if (file === undefined) input.print(document);
      else await writeFile(file, `${document}\n`);
      const omitted = [...(format === 'handsai' ? handsaiOmissions : []), ...exportOmissions];
      if (!input.json)
        input.printError(`Not in this export: ${omitted.join('; ')}. "handrail backup" copies everything.`);
      return exitCode.ok;
    });
  },
};
