import type { z } from 'zod';
import { cliErrors } from '../../domain/error-messages/cli.ts';
import type { adminResource, adminRoutes } from '../../http/contract/admins.ts';
import { type AdminClient, listAll, withAdminClient } from '../admin-client.ts';
import { type Command, type CommandInput, exitCode, text, UsageError } from '../command.ts';
import { showDone, showList } from '../show.ts';

type AdminView = z.output<typeof adminResource>;
type InvitationView = z.output<(typeof adminRoutes.invite)['reply']>;

/** Manages admin accounts. */
export const admins: Command = {
  summary: 'list, add or remove admins, reset a password or sign one out',
  usage: '[list] | add NAME [--role viewer|editor|owner] | remove|reset-password|sign-out ADMIN',
  options: {
    role: {
      type: 'string',
      value: 'ROLE',
      about:
        'viewer can look, editor (the default) can also make changes, owner can also manage admins and settings.',
    },
  },
  examples: [
    'handrail admins',
    'handrail admins add Grace --role owner',
    'handrail admins reset-password Grace',
    'handrail admins remove Grace',
  ],
  run(input) {
    const [action = 'list', reference] = input.words;
    return withAdminClient(input, async (client) => {
      if (action === 'list') {
        return showList(input, await listAll<AdminView>(client, '/admins'), {
          empty:
            'There are no admins yet. "handrail serve" prints a setup link, "handrail admins add NAME" an invitation link.',
          heading: ['ID', 'NAME', 'ROLE', 'STATE', 'SINCE'],
          row: rowOf,
        });
      }
      if (reference === undefined)
        throw new UsageError(action === 'add' ? 'the name is missing' : 'the admin is missing');
      if (action === 'add') {
        const role = text(input, 'role') ?? 'editor';
        return showLink(
          input,
          await client.request<InvitationView>('POST', '/admins', { name: reference, role }),
        );
      }
      const actions: Readonly<Record<string, (path: string) => Promise<number>>> = {
        'reset-password': async (path) =>
          showLink(input, await client.request<InvitationView>('POST', `${path}/invitation`)),
        'sign-out': async (path) => {
          await client.request('DELETE', `${path}/sessions`);
          return showDone(input, `${reference}: signed out everywhere`);
        },
        remove: async (path) => {
          await client.request('DELETE', path);
          return showDone(input, `${reference}: removed`);
        },
      };
      const act = Object.hasOwn(actions, action) ? actions[action] : undefined;
      if (act === undefined) throw new UsageError(`unknown action "${action}"`);
      return act(`/admins/${encodeURIComponent(await idOf(client, reference))}`);
    });
  },
};

/** Finds the id of an admin by id or name; the API only accepts ids. */
async function idOf(client: AdminClient, reference: string): Promise<string> {
  const all = await listAll<AdminView>(client, '/admins');
  const wanted = reference.trim().toLowerCase();
  const found = all.find((admin) => admin.id === reference || admin.name.toLowerCase() === wanted);
  if (found === undefined) throw cliErrors.adminNotFound({ reference });
  return found.id;
}

function showLink(input: CommandInput, invited: InvitationView): number {
  if (input.json) input.print(JSON.stringify(invited));
  else {
    input.print(invited.invitationUrl);
    input.printError(
      `This link is shown only once. ${invited.name} can use it to choose a password until ${invited.invitationExpiresAt ?? 'it is used'}.`,
    );
  }
  return exitCode.ok;
}

function rowOf(admin: AdminView): string[] {
  return [admin.id, admin.name, admin.role, admin.state, admin.createdAt];
}
