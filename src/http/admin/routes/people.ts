import { peopleRoutes } from '../../contract/people.ts';
import type { Person } from '../../../domain/person.ts';
import { missing } from '../../../registry/rules/find-and-revise.ts';
import type { AppContext } from '../../app-context.ts';
import { bind, type BoundRoute } from '../bind.ts';
import { pageById, readCursor } from '../paging.ts';
import { viewGroup, viewPerson } from '../views.ts';

/** Inviting, changing and removing people, and their groups. */
export function bindPeople({ people, signIn, secondFactors, store, publicUrl }: AppContext): BoundRoute[] {
  // After `#`, so that the token never reaches a server's log.
  const linkFor = (token: string) => `${publicUrl()}/admin/invitation#${token}`;
  const find = async (id: string) => (await people.read(id)) ?? missing('person', id);
  const view = async (person: Person) => {
    const kinds = await store.factors.kindsOf([person.id]);
    return viewPerson(person, people.nowOf(person), { secondFactors: kinds.get(person.id) });
  };
  return [
    bind(peopleRoutes.list, async ({ query: { limit, cursor, search } }) => {
      const from = cursor === undefined ? undefined : readCursor(cursor);
      const [page, total] = await Promise.all([
        store.people.list({ limit, cursor: from, search }),
        store.people.count(),
      ]);
      const kinds = await store.factors.kindsOf(page.people.map(({ person }) => person.id));
      return {
        items: page.people.map(({ person, signedInAtMs }) =>
          viewPerson(person, people.nowOf(person), {
            signedInAtMs,
            secondFactors: kinds.get(person.id),
          }),
        ),
        nextCursor: page.nextCursor,
        total,
      };
    }),
    bind(peopleRoutes.get, async ({ params }) => {
      return view(await find(params.person));
    }),
    bind(peopleRoutes.invite, async ({ body, actor }) => {
      const { person, token } = await signIn.invite(body, actor);
      return { ...(await view(person)), invitationUrl: linkFor(token) };
    }),
    bind(peopleRoutes.update, async ({ params, body, expectedRevision, actor }) => {
      const person = await people.update(actor, params.person, body, expectedRevision);
      if (person.disabled === true) await signIn.endSessions(person.id);
      return view(person);
    }),
    bind(peopleRoutes.renew, async ({ params, actor }) => {
      const { person, token } = await signIn.invite({ personId: params.person }, actor);
      return { ...(await view(person)), invitationUrl: linkFor(token) };
    }),
    bind(peopleRoutes.signOut, async ({ params }) => {
      await signIn.endSessions((await find(params.person)).id);
    }),
    bind(peopleRoutes.resetSecondFactors, async ({ params, actor }) => {
      await secondFactors.reset(await find(params.person), actor);
    }),
    bind(peopleRoutes.remove, async ({ params, actor }) => {
      await people.remove(actor, params.person);
      await signIn.endSessions(params.person);
    }),
    bind(peopleRoutes.listGroups, ({ query }) => pageById(people.groups(), query, viewGroup)),
    bind(peopleRoutes.getGroup, ({ params }) => viewGroup(people.findGroup(params.group))),
    bind(peopleRoutes.createGroup, async ({ body, actor }) =>
      viewGroup(await people.createGroup(actor, body)),
    ),
    bind(peopleRoutes.updateGroup, async ({ params, body, expectedRevision, actor }) =>
      viewGroup(await people.updateGroup(actor, people.findGroup(params.group).id, body, expectedRevision)),
    ),
    bind(peopleRoutes.removeGroup, async ({ params, actor }) => {
      await people.removeGroup(actor, people.findGroup(params.group).id);
    }),
  ];
}
