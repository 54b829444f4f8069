import type { z } from 'zod';
import type { groupResource } from '../../http/contract/people.ts';
import { listAll, withAdminClient } from '../admin-client.ts';
import { type Command, type CommandInput, text, texts, UsageError } from '../command.ts';
import { showDone, showList, showWhole } from '../show.ts';

type GroupView = z.output<typeof groupResource>;

/** Manages groups of people. */
export const groups: Command = {
  summary: 'list, create, change or delete groups of people',
  usage:
    '[list] | show|delete GROUP | create NAME [--role ROLE] [--description TEXT] [--claim ISSUER=VALUE]… | change GROUP [--name NAME] [--role ROLE] [--description TEXT] [--claim ISSUER=VALUE]…',
  options: {
    role: {
      type: 'string',
      value: 'ROLE',
      about: 'The role every member has at least: none (the default), viewer, editor or owner.',
    },
    name: { type: 'string', value: 'NAME', about: 'The new name.' },
    description: { type: 'string', value: 'TEXT', about: 'What the group is for.' },
    claim: {
      type: 'string',
      multiple: true,
      value: 'ISSUER=VALUE',
      about:
        'Everyone with this value in a groups or roles claim from this issuer is a member; replaces the earlier ones, and "" removes all.',
    },
  },
  examples: [
    'handrail groups create finance',
    'handrail groups create admins --role owner --claim https://id.example.com=gateway-admins',
    'handrail groups',
  ],
  run(input) {
    const [action = 'list', reference] = input.words;
    return withAdminClient(input, async (client) => {
      if (action === 'list') {
        return showList(input, await listAll<GroupView>(client, '/groups'), {
          empty: 'There are no groups yet. "handrail groups create NAME" creates one.',
          heading: ['ID', 'NAME', 'ROLE', 'CLAIMS'],
          row: ({ id, name, role, claims }) => [id, name, role, claims.map(({ value }) => value).join(', ')],
        });
      }
      if (reference === undefined)
        throw new UsageError(action === 'create' ? 'the name is missing' : 'the group is missing');
      const path = `/groups/${encodeURIComponent(reference)}`;
      switch (action) {
        case 'show':
          return showWhole(input, await client.request('GET', path));
        case 'create': {
          const made = await client.request<GroupView>('POST', '/groups', {
            name: reference,
            ...fieldsOf(input),
          });
          return showDone(input, `${made.name}: created`, made);
        }
        case 'change': {
          const name = text(input, 'name');
          const fields = { ...(name !== undefined && { name }), ...fieldsOf(input) };
          if (Object.keys(fields).length === 0)
            throw new UsageError('nothing to change: use --name, --role, --description or --claim');
          return showDone(input, `${reference}: changed`, await client.request('PATCH', path, fields));
        }
        case 'delete':
          await client.request('DELETE', path);
          return showDone(input, `${reference}: deleted`);
        default:
          throw new UsageError(`unknown action "${action}"`);
      }
    });
  },
};

function fieldsOf(input: CommandInput) {
  const [role, description] = [text(input, 'role'), text(input, 'description')];
  const claims = texts(input, 'claim');
  return {
    ...(role !== undefined && { role }),
    ...(description !== undefined && { description: description === '' ? null : description }),
    ...(claims.length > 0 && { claims: claims.filter((claim) => claim !== '').map(claimOf) }),
  };
}

// An issuer is a URL without a query, so the first "=" ends it.
function claimOf(word: string): { readonly issuer: string; readonly value: string } {
  const at = word.indexOf('=');
  if (at < 1 || at === word.length - 1) throw new UsageError('--claim must be ISSUER=VALUE');
  return { issuer: word.slice(0, at), value: word.slice(at + 1) };
}
