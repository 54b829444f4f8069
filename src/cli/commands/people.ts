import type { z } from 'zod';
import { cliErrors } from '../../domain/error-messages/cli.ts';
import type { peopleRoutes, personResource } from '../../http/contract/people.ts';
import { type AdminClient, listAll, withAdminClient } from '../admin-client.ts';
import { type Command, type CommandInput, exitCode, text, texts, UsageError } from '../command.ts';
import { showDone, showList, showWhole } from '../show.ts';

type PersonView = z.output<typeof personResource>;
type InvitationView = z.output<(typeof peopleRoutes.invite)['reply']>;

/** Manages people. */
export const people: Command = {
  summary: 'list, invite, change or remove people, reset a password or second factor, or sign someone out',
  usage:
    '[list] | show|remove|disable|enable|reset-password|reset-second-factor|sign-out PERSON | invite NAME [--role ROLE] [--email ADDRESS] [--group GROUP]… | change PERSON [--name NAME] [--role ROLE] [--email ADDRESS] [--group GROUP]…',
  options: {
    role: {
      type: 'string',
      value: 'ROLE',
      about:
        'none (the default) only uses servers, viewer can look, editor can also make changes, owner can also manage people and settings.',
    },
    name: { type: 'string', value: 'NAME', about: 'The new name.' },
    email: { type: 'string', value: 'ADDRESS', about: 'Shown next to the name; "" removes it.' },
    group: {
      type: 'string',
      multiple: true,
      value: 'GROUP',
      about: 'A group they belong to, by name or ID; replaces the groups they were in, and "" removes all.',
    },
  },
  examples: [
    'handrail people',
    'handrail people invite Grace --role owner',
    'handrail people change Grace --role editor --group finance',
    'handrail people reset-password Grace',
    'handrail people reset-second-factor Grace',
    'handrail people remove Grace',
  ],
  run(input) {
    const [action = 'list', reference] = input.words;
    return withAdminClient(input, async (client) => {
      if (action === 'list') {
        return showList(input, await listAll<PersonView>(client, '/people'), {
          empty:
            'There is no one yet. "handrail serve" prints a setup link, "handrail people invite NAME" an invitation link.',
          heading: ['ID', 'NAME', 'ROLE', 'STATE', 'LAST SIGN-IN'],
          row: rowOf,
        });
      }
      if (reference === undefined)
        throw new UsageError(action === 'invite' ? 'the name is missing' : 'the person is missing');
      if (action === 'invite') {
        const { role = 'none', ...more } = fieldsOf(input);
        return showLink(
          input,
          await client.request<InvitationView>('POST', '/people', { ...more, name: reference, role }),
        );
      }
      const change = async (path: string, body: object, done: string): Promise<number> =>
        showDone(input, `${reference}: ${done}`, await client.request('PATCH', path, body));
      const actions: Readonly<Record<string, (path: string) => Promise<number>>> = {
        show: async (path) => showWhole(input, await client.request('GET', path)),
        change: (path) => {
          const fields = fieldsOf(input);
          if (Object.keys(fields).length === 0)
            throw new UsageError('nothing to change: use --name, --role, --email or --group');
          return change(path, fields, 'changed');
        },
        disable: (path) => change(path, { disabled: true }, 'disabled'),
        enable: (path) => change(path, { disabled: false }, 'enabled'),
        'reset-password': async (path) =>
          showLink(input, await client.request<InvitationView>('POST', `${path}/invitation`)),
        'reset-second-factor': async (path) => {
          await client.request('DELETE', `${path}/second-factors`);
          return showDone(input, `${reference}: second factor removed`);
        },
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
      return act(`/people/${encodeURIComponent(await idOf(client, reference))}`);
    });
  },
};

function fieldsOf(input: CommandInput) {
  const [name, role, email] = [text(input, 'name'), text(input, 'role'), text(input, 'email')];
  const groups = texts(input, 'group');
  return {
    ...(name !== undefined && { name }),
    ...(role !== undefined && { role }),
    ...(email !== undefined && { email: email === '' ? null : email }),
    ...(groups.length > 0 && { groups: groups.filter((group) => group !== '') }),
  };
}

/** Finds the id of a person by id or name; the API only accepts ids. */
async function idOf(client: AdminClient, reference: string): Promise<string> {
  if (/^[a-z]+_[0-9A-Z]{26}$/.test(reference)) return reference;
  const wanted = reference.trim().toLowerCase();
  const all = await listAll<PersonView>(
    client,
    `/people?search=${encodeURIComponent(reference.slice(0, 200))}`,
  );
  const [found, other] = all.filter((person) => person.name.toLowerCase() === wanted);
  if (found === undefined) throw cliErrors.personNotFound({ reference });
  if (other !== undefined) throw cliErrors.personAmbiguous({ reference });
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

function rowOf(person: PersonView): string[] {
  return [person.id, person.name, person.effectiveRole, person.state, person.lastSignInAt ?? 'never'];
}
