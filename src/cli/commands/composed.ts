import { readFile } from 'node:fs/promises';
import type { z } from 'zod';
import { defaultServerSlug } from '../../domain/server.ts';
import type { composedResource, composedToolRoutes } from '../../http/contract/composed-tools.ts';
import { isObject } from '../../lib/json/plain-object.ts';
import { type AdminClient, listAll, withAdminClient } from '../admin-client.ts';
import { type Command, type CommandInput, text, texts, UsageError } from '../command.ts';
import { runNounAction, setOption } from '../noun-actions.ts';
import { showDone, showList } from '../show.ts';

type ComposedView = z.output<typeof composedResource>;
type Versions = z.output<(typeof composedToolRoutes.versions)['reply']>;

/** Saves scripts as tools. */
export const composed: Command = {
  summary: 'list, save, show, restore or delete scripts saved as tools',
  usage:
    '[list] [--server SLUG] | save NAME FILE [--server SLUG] [--description TEXT] [--schema FILE] [--tool TOOL]… | show|versions|delete NAME | update NAME --set FIELD=VALUE | restore NAME VERSION',
  options: {
    server: {
      type: 'string',
      value: 'SLUG',
      about: 'The server that it belongs to; NAME can also be SLUG/NAME.',
    },
    description: { type: 'string', value: 'TEXT', about: 'What it does, for models; a new one needs it.' },
    title: { type: 'string', value: 'TEXT', about: 'Display name.' },
    schema: {
      type: 'string',
      value: 'FILE',
      about: 'JSON Schema of its arguments, which the script reads from "input".',
    },
    tool: {
      type: 'string',
      multiple: true,
      value: 'TOOL',
      about: 'A tool that it may call; by default, the tools named in the script.',
    },
    ...setOption,
  },
  examples: [
    'handrail composed save monthly_report report.ts --server shop --description "Reports a month." --schema report.schema.json',
    'handrail composed --server shop',
    'handrail composed versions shop/monthly_report',
    'handrail composed restore shop/monthly_report 3',
  ],
  run(input) {
    const [action, name, more, ...rest] = input.words;
    const takesThree = action === 'save' || action === 'restore';
    const extra = takesThree ? rest[0] : more;
    if (extra !== undefined) throw new UsageError(`unexpected "${extra}"`);
    const server = text(input, 'server');
    const reference =
      name === undefined || server === undefined || name.includes('/') ? name : `${server}/${name}`;
    const words = [action, reference, more].filter((word) => word !== undefined);
    const path = `/composed-tools/${encodeURIComponent(reference ?? '')}`;
    return withAdminClient(input, (client) =>
      runNounAction<ComposedView>({ ...input, words }, client, {
        noun: 'the name of the composed tool',
        path: '/composed-tools',
        shape: {
          empty: 'No script is saved as a tool yet. "handrail composed save NAME FILE" saves one.',
          heading: ['SERVER', 'NAME', 'KIND', 'VERSION', 'SAVED', 'STATE'],
          row: rowOf,
        },
        list: () =>
          listAll(
            client,
            server === undefined ? '/composed-tools' : `/composed-tools?server=${encodeURIComponent(server)}`,
          ),
        own: {
          save: (whole) => save(input, client, whole, more),
          async restore(whole) {
            const version = Number(more);
            if (!Number.isInteger(version) || version < 1)
              throw new UsageError('the number of the version is missing');
            const restored = await client.request<ComposedView>('POST', `${path}/restore`, { version });
            return showDone(
              input,
              `${whole}: version ${version} restored as version ${restored.version}`,
              restored,
            );
          },
          async versions() {
            const { items } = await client.request<Versions>('GET', `${path}/versions`);
            return showList(input, items, {
              empty: '',
              heading: ['VERSION', 'SAVED', 'BY', 'LINES'],
              row: ({ number, savedAt, savedBy, code }) => [
                String(number),
                savedAt,
                savedBy,
                String(code.split('\n').length),
              ],
            });
          },
        },
      }),
    );
  },
};

function rowOf({ server, name, kind, version, savedAt, enabled, served }: ComposedView): readonly string[] {
  return [server, name, kind, String(version), savedAt, enabled ? (served ? 'served' : 'incomplete') : 'off'];
}

async function save(
  input: CommandInput,
  client: AdminClient,
  reference: string,
  file: string | undefined,
): Promise<number> {
  if (file === undefined) throw new UsageError('the file with the script is missing');
  const slash = reference.indexOf('/');
  const server = slash < 0 ? defaultServerSlug : reference.slice(0, slash);
  const name = reference.slice(slash + 1);
  const [description, title, schema] = ['description', 'title', 'schema'].map((option) =>
    text(input, option),
  );
  const tools = texts(input, 'tool');
  const content = {
    code: await read(file),
    ...(description !== undefined && { description }),
    ...(title !== undefined && { title }),
    ...(schema !== undefined && { inputSchema: readSchema(schema, await read(schema)) }),
  };
  const all = await listAll<ComposedView>(client, `/composed-tools?server=${encodeURIComponent(server)}`);
  const known = all.find((one) => one.name === name);
  if (known === undefined && description === undefined)
    throw new UsageError('a new composed tool needs --description, so that models know what it is for');
  const saved =
    known === undefined
      ? await client.request<ComposedView>('POST', '/composed-tools', {
          server,
          name,
          ...content,
          ...(tools.length > 0 && { tools }),
        })
      : await client.request<ComposedView>(
          'PATCH',
          `/composed-tools/${known.id}`,
          { ...content, tools: tools.length > 0 ? tools : null },
          { 'if-match': `"${known.revision}"` },
        );
  const calls = saved.calls.map((one) => one.name).join(', ') || 'no tools';
  return showDone(
    input,
    `${server}/${name}: version ${saved.version}, ${saved.kind}, may call ${calls}`,
    saved,
  );
}

function readSchema(file: string, json: string): object {
  let schema: unknown;
  try {
    schema = JSON.parse(json);
  } catch {
    throw new UsageError(`the schema ${file} is not JSON`);
  }
  if (!isObject(schema)) throw new UsageError(`the schema ${file} is not an object`);
  return schema;
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    throw new UsageError(`the file ${file} cannot be read`);
  }
}
