import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AskedConsent } from '../../authorization/give-consent.ts';
import type { SecondStep } from '../../access/sign-in.ts';
import { sameHash } from '../../access/secrets.ts';
import type { Consent } from '../../domain/connected-app.ts';
import { HandrailError } from '../../domain/errors.ts';
import { kindOf, toolKinds } from '../../domain/tool.ts';
import type { ProviderOptions } from '../../authorization/provider.ts';
import { objectOr } from '../../lib/json/plain-object.ts';
import type { AppContext } from '../app-context.ts';
import { type WrittenPage, sendPage } from '../plain-page.ts';
import {
  consentPage,
  failurePage,
  onwardPage,
  type ShownKind,
  type ShownTool,
  signInPage,
} from './consent-page.ts';
import { failureText, recoveryCodesPage, secondStepPage, setUpPage } from './second-step-page.ts';
import { createSignedIn, type SignedInPerson } from './signed-in.ts';

// A person reads no more boxes than this; a kind can still be left out as a whole.
const maxShownOfKind = 400;

/** The page on which a person signs in and decides what an app may do. */
export function createConsent(context: AppContext, pages: Pick<ProviderOptions, 'errorPage' | 'allowFetch'>) {
  const { authorization, registry, signIn, store, now } = context;
  const signedIn = createSignedIn(context);

  async function asked(request: FastifyRequest, reply: FastifyReply) {
    const { provider } = await authorization.load(pages);
    const consenting = await import('../../authorization/give-consent.ts');
    const found = await consenting.readAsked(provider, request.raw, reply.raw, authorization.serverOf);
    return { provider, consenting, found };
  }

  /** Signing in elsewhere leads back to this page. */
  function providersFor(request: FastifyRequest) {
    const to = `${new URL(request.url, 'http://localhost').pathname}?here=1`;
    return [...registry.snapshot.identityProviders.values()]
      .filter(({ enabled }) => enabled)
      .map(({ name, slug }) => ({
        name,
        url: `/sso/${slug}/start?${new URLSearchParams({ to }).toString()}`,
      }));
  }

  async function boxesFor(
    person: SignedInPerson,
    found: AskedConsent,
    consenting: typeof import('../../authorization/give-consent.ts'),
  ) {
    const earlier = await consenting.lastConsent(store.grants, person.id, found, now());
    return boxesOf(found, earlier);
  }

  async function signInAgain(
    page: PageSender,
    status: number,
    asking: Asked,
    entered: { readonly failure?: string; readonly name?: string } = {},
  ): Promise<FastifyReply> {
    const passkey = await signIn.passkeyChallenge(null);
    return page(status, (...look) => signInPage(...look, { ...asking, ...entered, passkey }));
  }

  /** What a sign-in needs next; `draft` continues setting up the same app. */
  async function stepFurther(
    page: PageSender,
    status: number,
    step: SecondStep,
    { failure, draft }: { readonly failure?: string; readonly draft?: string | undefined } = {},
  ): Promise<FastifyReply> {
    if (step.stage === 'set-up') {
      const drafted = await signIn.draftTotp(step.pending, draft);
      return page(status, (...look) => setUpPage(...look, { step, draft: drafted, failure }));
    }
    const challenge = step.kinds.includes('passkey') ? await signIn.passkeyChallenge(step.pending) : null;
    return page(status, (...look) => secondStepPage(...look, { step, challenge, failure }));
  }

  /** Takes one step of signing in. */
  async function enter(
    request: FastifyRequest,
    reply: FastifyReply,
    {
      page,
      form,
      action,
      asking,
      here,
    }: {
      readonly page: PageSender;
      readonly form: URLSearchParams;
      readonly action: 'sign-in' | 'code' | 'passkey' | 'set-up';
      readonly asking: Asked;
      readonly here: string;
    },
  ): Promise<FastifyReply> {
    await context.catchUp();
    const from = { address: request.ip, userAgent: request.headers['user-agent'] ?? '' };
    const field = (name: string) => form.get(name) ?? '';
    const pending = field('pending');
    try {
      if (action === 'set-up') {
        const proof = { draft: field('draft'), code: field('code'), name: 'Authenticator' };
        const made = await signIn.withNewTotp(pending, proof, from);
        signedIn.keep(request, reply, made);
        return await page(200, (...look) =>
          recoveryCodesPage(...look, { codes: made.recoveryCodes, to: here }),
        );
      }
      const result =
        action === 'sign-in'
          ? await signIn.withPassword(field('name'), field('password'), from)
          : action === 'code'
            ? await signIn.withCode(pending, field('code'), from)
            : await signIn.withPasskey(
                pending === '' ? null : pending,
                { challenge: field('challenge'), response: parsedObject(field('response')) },
                from,
              );
      if ('pending' in result) return await stepFurther(page, 200, result);
      signedIn.keep(request, reply, result);
      return await page(200, (...look) => onwardPage(...look, here));
    } catch (error) {
      if (!(error instanceof HandrailError) || error.code === 'internal') throw error;
      const failure = failureText(request.headers['accept-language'], error);
      const step = pending === '' ? null : await signIn.step(pending).catch(() => null);
      if (step !== null) return stepFurther(page, error.status, step, { failure, draft: field('draft') });
      return signInAgain(page, error.status, asking, { failure, name: field('name') });
    }
  }

  return {
    async show(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
      const page = pageSender(request, reply);
      const { found, consenting } = await asked(request, reply);
      if (found === null) return page(404, (...look) => failurePage(...look));
      const asking = { app: found.app, server: found.view.server.name, providers: providersFor(request) };
      const person = await signedIn.person(request);
      if (person === null) {
        // The browser came from another site and so without its session: it comes again, from this page.
        const { here } = readQuery(request);
        if (here === undefined)
          return page(200, (...look) =>
            onwardPage(...look, `${new URL(request.url, 'http://localhost').pathname}?here=1`),
          );
        return signInAgain(page, 200, asking);
      }
      const boxes = await boxesFor(person, found, consenting);
      return page(200, (...look) =>
        consentPage(...look, { ...asking, person: person.name, csrf: person.csrf, ...boxes }),
      );
    },

    async decide(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
      const page = pageSender(request, reply);
      const { provider, found, consenting } = await asked(request, reply);
      if (found === null) return page(404, (...look) => failurePage(...look));
      const asking = { app: found.app, server: found.view.server.name, providers: providersFor(request) };
      const form = formOf(request);
      const action = form.get('action');
      const here = `${new URL(request.url, 'http://localhost').pathname}?here=1`;
      if (action === 'sign-in' || action === 'code' || action === 'passkey' || action === 'set-up')
        return enter(request, reply, { page, form, action, asking, here });
      if (action === 'switch') return signInAgain(page, 200, asking);
      if (action === 'deny') {
        const person = await signedIn.person(request);
        if (person !== null)
          await authorization.apps.note(
            { id: person.id, label: person.name, address: request.ip },
            'connected_app.deny',
            { id: found.app.clientId, name: found.app.name },
            { server: found.view.server.slug },
          );
        const to = await consenting.refuseConsent(provider, request.raw, reply.raw);
        return page(200, (...look) => onwardPage(...look, to, { app: found.app.name, isAllowed: false }));
      }
      const person = await signedIn.person(request);
      if (person === null) return signInAgain(page, 401, asking);
      // Only the page above knows the value, so no other site can agree for someone.
      if (action !== 'allow' || !sameHash(form.get('csrf') ?? '', person.csrf))
        return page(403, (...look) => onwardPage(...look, here));
      const boxes = await boxesFor(person, found, consenting);
      const consent = consentOf(boxes, form);
      const { returnTo, app } = await consenting.grantConsent(
        provider,
        store.grants,
        { req: request.raw, res: reply.raw },
        found,
        { personId: person.id, consent, nowMs: now() },
      );
      await authorization.apps.note(
        { id: person.id, label: person.name, address: request.ip },
        'connected_app.allow',
        app,
        {
          server: found.view.server.slug,
          client: app.clientId,
          kinds: consent.kinds,
          except: consent.except.length,
          also: consent.also.length,
        },
      );
      return page(200, (...look) => onwardPage(...look, returnTo, { app: app.name, isAllowed: true }));
    },
  };
}

interface Boxes {
  readonly kinds: readonly ShownKind[];
  readonly single: readonly ShownTool[];
}

/** The boxes of the page, as the person last left them or all checked. */
function boxesOf({ view, kinds, tools: named }: AskedConsent, earlier: Consent | null): Boxes {
  const all = view.tools.map((listed) => ({ listed, kind: kindOf(listed.compiled.tool) }));
  const except = new Set(earlier?.except);
  const shownTool = ({ listed }: (typeof all)[number]): ShownTool => ({
    id: listed.compiled.tool.id,
    name: listed.name,
    isChecked: named.includes(listed) || !except.has(listed.compiled.tool.id),
  });
  return {
    kinds: toolKinds
      .filter((kind) => kinds.includes(kind))
      .map((kind) => {
        const ofKind = all.filter((each) => each.kind === kind);
        return {
          kind,
          isChecked: earlier === null || earlier.kinds.includes(kind),
          count: ofKind.length,
          tools: ofKind.slice(0, maxShownOfKind).map(shownTool),
        };
      }),
    single: named.map((listed) => ({ id: listed.compiled.tool.id, name: listed.name, isChecked: true })),
  };
}

/** What the person left checked. A tool that the page didn't show is neither left out nor added. */
function consentOf({ kinds, single }: Boxes, form: URLSearchParams): Consent {
  const checkedKinds = new Set(form.getAll('kind'));
  const checked = new Set(form.getAll('tool'));
  const chosen = kinds.filter(({ kind }) => checkedKinds.has(kind));
  return {
    kinds: chosen.map(({ kind }) => kind),
    except: chosen.flatMap(({ tools }) => tools.filter(({ id }) => !checked.has(id)).map(({ id }) => id)),
    also: single.filter(({ id }) => checked.has(id)).map(({ id }) => id),
  };
}

function parsedObject(text: string): object {
  try {
    return objectOr(JSON.parse(text));
  } catch {
    return {};
  }
}

type PageSender = ReturnType<typeof pageSender>;

/** What every page of this sign-in says. */
interface Asked {
  readonly app: AskedConsent['app'];
  readonly server: string;
  readonly providers: readonly { readonly name: string; readonly url: string }[];
}

function pageSender(request: FastifyRequest, reply: FastifyReply) {
  const nonce = randomBytes(16).toString('base64');
  return (
    status: number,
    write: (accepted: string | undefined, nonce: string) => WrittenPage,
  ): FastifyReply => sendPage(reply, status, write(request.headers['accept-language'], nonce), nonce);
}

function readQuery(request: FastifyRequest): { readonly here?: unknown } {
  return typeof request.query === 'object' && request.query !== null ? request.query : {};
}

function formOf({ body }: FastifyRequest): URLSearchParams {
  return new URLSearchParams(body instanceof Uint8Array ? Buffer.from(body).toString('utf8') : '');
}
