import type { SignInFailure } from '../../authorization/provider.ts';
import { type ConnectedApp, placeOf } from '../../domain/connected-app.ts';
import type { ToolKind } from '../../domain/tool.ts';
import { escapeHtml } from '../../lib/markup/escape-html.ts';
import type { PasskeyChallenge } from '../../access/second-factors/second-factors.ts';
import { passkeyForm, passkeyScript, style } from './second-step-page.ts';
import { languageOf, type PageLanguage, plainDocument, type WrittenPage } from '../plain-page.ts';

const en = {
  title: 'Connect an app',
  ask: 'Allow {app} to use {server}?',
  verified: 'Verified: this app belongs to {domain}.',
  unverified:
    'Not verified: this app registered itself, and any app can claim this name. Continue only if you started this yourself, just now.',
  returns: 'Afterwards you return to {place}.',
  returnsHere: 'Afterwards you return to an app on this computer ({place}).',
  returnsApp: 'Afterwards you return to an app on this device ({place}).',
  signedInAs: 'You are signed in as {person}.',
  switch: 'Use another account',
  may: 'What it may do for you',
  noTools: 'This server has no tools for you yet.',
  read: 'Look things up',
  write: 'Create and change',
  destructive: 'Delete and overwrite',
  tools: '{count} tools',
  oneTool: '1 tool',
  single: 'Asked for by name',
  more: 'and {count} more, which are included',
  allow: 'Allow',
  deny: 'Cancel',
  later: 'You can disconnect it at any time, under "Connected apps".',
  signIn: 'Sign in',
  signInWith: 'Sign in with {name}',
  signInLead: '{app} wants to use {server}. Sign in to decide.',
  name: 'Name',
  password: 'Password',
  done: 'Connected',
  doneLead: 'Return to {app}. If nothing happens, follow this link.',
  denied: 'Not connected',
  deniedLead: '{app} got no access. Return to it, or follow this link.',
  continue: 'Continue',
  expired: 'This sign-in has expired',
  expiredLead: 'It was left open for too long, or was finished already. Start again from your app.',
  failed: 'The app could not be connected',
  failedLead:
    'Start again from your app. If that does not help, remove this connection there and add it again.',
  wait: 'One moment…',
  returnTo: 'Return to {place}',
};

type Words = Readonly<Record<keyof typeof en, string>>;

const words: Readonly<Record<PageLanguage, Words>> = {
  en,
  es: {
    title: 'Conectar una aplicación',
    ask: '¿Permitir que {app} use {server}?',
    verified: 'Verificada: esta aplicación pertenece a {domain}.',
    unverified:
      'Sin verificar: esta aplicación se registró sola y cualquiera puede usar este nombre. Continúa solo si acabas de iniciar esto tú.',
    returns: 'Después volverás a {place}.',
    returnsHere: 'Después volverás a una aplicación de este equipo ({place}).',
    returnsApp: 'Después volverás a una aplicación de este dispositivo ({place}).',
    signedInAs: 'Has iniciado sesión como {person}.',
    switch: 'Usar otra cuenta',
    may: 'Qué podrá hacer por ti',
    noTools: 'Este servidor todavía no tiene herramientas para ti.',
    read: 'Consultar',
    write: 'Crear y cambiar',
    destructive: 'Borrar y sobrescribir',
    tools: '{count} herramientas',
    oneTool: '1 herramienta',
    single: 'Pedidas por su nombre',
    more: 'y {count} más, que también se incluyen',
    allow: 'Permitir',
    deny: 'Cancelar',
    later: 'Puedes desconectarla cuando quieras, en "Aplicaciones conectadas".',
    signIn: 'Iniciar sesión',
    signInWith: 'Iniciar sesión con {name}',
    signInLead: '{app} quiere usar {server}. Inicia sesión para decidir.',
    name: 'Nombre',
    password: 'Contraseña',
    done: 'Conectada',
    doneLead: 'Vuelve a {app}. Si no pasa nada, sigue este enlace.',
    denied: 'No conectada',
    deniedLead: '{app} no obtuvo acceso. Vuelve a la aplicación o sigue este enlace.',
    continue: 'Continuar',
    expired: 'Este inicio de sesión ha caducado',
    expiredLead: 'Estuvo abierto demasiado tiempo o ya se completó. Vuelve a empezar desde tu aplicación.',
    failed: 'No se pudo conectar la aplicación',
    failedLead:
      'Vuelve a empezar desde tu aplicación. Si no ayuda, elimina allí esta conexión y añádela de nuevo.',
    wait: 'Un momento…',
    returnTo: 'Volver a {place}',
  },
};

/** One tool on the page. */
export interface ShownTool {
  readonly id: string;
  readonly name: string;
  readonly isChecked: boolean;
}

/** A kind of tools on the page. */
export interface ShownKind {
  readonly kind: ToolKind;
  readonly isChecked: boolean;
  readonly count: number;
  readonly tools: readonly ShownTool[];
}

interface Asking {
  readonly app: Pick<ConnectedApp, 'name' | 'domain' | 'redirectsTo'>;
  readonly server: string;
}

/** Text with its values, which are escaped. */
function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (_all, name: string) => `<b>${escapeHtml(values[name] ?? '')}</b>`);
}

/** What a person is asked before an app is connected. */
export function consentPage(
  accepted: string | undefined,
  nonce: string,
  asking: Asking & {
    readonly person: string;
    readonly csrf: string;
    readonly kinds: readonly ShownKind[];
    readonly single: readonly ShownTool[];
  },
): WrittenPage {
  const language = languageOf(accepted);
  const say = words[language];
  const { app, server, person, csrf, kinds, single } = asking;
  const tool = ({ id, name, isChecked }: ShownTool) =>
    `<label class="tool"><input type="checkbox" name="tool" value="${escapeHtml(id)}"${isChecked ? ' checked' : ''}><span>${escapeHtml(name)}</span></label>`;
  const counted = (count: number) =>
    count === 1 ? say.oneTool : say.tools.replace('{count}', String(count));
  const kindRow = ({ kind, isChecked, count, tools }: ShownKind) => `<div class="kind ${kind}">
<label><input type="checkbox" name="kind" value="${kind}"${isChecked ? ' checked' : ''}><span>${say[kind]}</span></label>
<details><summary>${counted(count)}</summary>${tools.map(tool).join('')}${count > tools.length ? `<p>${say.more.replace('{count}', String(count - tools.length))}</p>` : ''}</details></div>`;
  const shown = kinds.filter(({ count }) => count > 0);
  const body = `<h1>${fill(say.ask, { app: app.name, server })}</h1>
${identityOf(say, app)}
<form method="post"><input type="hidden" name="csrf" value="${escapeHtml(csrf)}">
<fieldset><legend>${say.may}</legend>${shown.map(kindRow).join('')}${shown.length === 0 ? `<p>${say.noTools}</p>` : ''}
${single.length > 0 ? `<div class="kind"><p class="named">${say.single}</p>${single.map(tool).join('')}</div>` : ''}</fieldset>
<p class="who">${fill(say.signedInAs, { person })} <button class="plain" name="action" value="switch">${say.switch}</button></p>
<div class="choice"><button name="action" value="allow">${say.allow}</button><button class="second" name="action" value="deny">${say.deny}</button></div>
<p class="small">${say.later}</p></form>`;
  return { language, html: plainDocument(language, say.title, body, { nonce, style }) };
}

function identityOf(say: Words, { domain, redirectsTo = '' }: Asking['app']): string {
  const isLocal = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(redirectsTo);
  const returns = isLocal ? say.returnsHere : redirectsTo.endsWith(':') ? say.returnsApp : say.returns;
  return `<p class="${domain === undefined ? 'unverified' : 'verified'}">${domain === undefined ? say.unverified : fill(say.verified, { domain })}</p>
<p class="small">${fill(returns, { place: redirectsTo })}</p>`;
}

/** Signs a person in before they are asked. */
export function signInPage(
  accepted: string | undefined,
  nonce: string,
  {
    app,
    server,
    failure,
    name = '',
    providers,
    passkey,
  }: Asking & {
    readonly failure?: string;
    readonly name?: string;
    /** Where else people can sign in. */
    readonly providers: readonly { readonly name: string; readonly url: string }[];
    readonly passkey: PasskeyChallenge;
  },
): WrittenPage {
  const language = languageOf(accepted);
  const say = words[language];
  const body = `<h1>${say.signIn}</h1><p>${fill(say.signInLead, { app: app.name, server })}</p>
${identityOf(say, app)}
${failure === undefined ? '' : `<p class="wrong" role="alert">${escapeHtml(failure)}</p>`}
<form method="post"><label class="field">${say.name}<input name="name" autocomplete="username" required maxlength="200" value="${escapeHtml(name)}"></label>
<label class="field">${say.password}<input name="password" type="password" autocomplete="current-password" required maxlength="1000"></label>
<button name="action" value="sign-in">${say.signIn}</button></form>
${passkeyForm(language, passkey)}
${providers.map((provider) => `<p><a href="${escapeHtml(provider.url)}">${fill(say.signInWith, { name: provider.name })}</a></p>`).join('')}
<form method="post"><button class="second" name="action" value="deny">${say.deny}</button></form>`;
  return {
    language,
    html: plainDocument(language, say.signIn, body, { nonce, style, script: passkeyScript }),
  };
}

/**
 * Sends the browser on. Not a redirect: after a form, browsers would follow it only to addresses that the page may send
 * forms to, and another site's page would be asked without our cookies.
 */
export function onwardPage(
  accepted: string | undefined,
  nonce: string,
  to: string,
  result?: { readonly app: string; readonly isAllowed: boolean },
): WrittenPage {
  const language = languageOf(accepted);
  const say = words[language];
  const title = result === undefined ? say.wait : result.isAllowed ? say.done : say.denied;
  const lead =
    result === undefined ? '' : fill(result.isAllowed ? say.doneLead : say.deniedLead, { app: result.app });
  const head = `<meta http-equiv="refresh" content="0;url=${escapeHtml(to)}">`;
  const body = `<h1>${title}</h1><p>${lead}</p><p><a href="${escapeHtml(to)}">${say.continue}</a></p>`;
  return { language, html: plainDocument(language, title, body, { nonce, head, style }) };
}

/** Shown when a sign-in can't continue; `detail` is for the developers of the app. */
export function failurePage(
  accepted: string | undefined,
  nonce: string,
  detail?: SignInFailure,
): WrittenPage {
  const language = languageOf(accepted);
  const say = words[language];
  const [title, lead] = detail === undefined ? [say.expired, say.expiredLead] : [say.failed, say.failedLead];
  const why =
    detail === undefined
      ? ''
      : `<p class="small"><code>${escapeHtml(`${detail.code}: ${detail.description}`.slice(0, 500))}</code></p>`;
  const to = detail?.returnTo;
  const back =
    to === undefined
      ? ''
      : `<p><a href="${escapeHtml(to)}">${fill(say.returnTo, { place: placeOf(to) })}</a></p>`;
  const body = `<h1>${title}</h1><p>${lead}</p>${back}${why}`;
  return { language, html: plainDocument(language, title, body, { nonce, style }) };
}
