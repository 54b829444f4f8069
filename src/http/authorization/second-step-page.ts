import type { PasskeyChallenge, TotpDraft } from '../../access/second-factors/second-factors.ts';
import type { SecondStep } from '../../access/sign-in.ts';
import { accessErrors } from '../../domain/error-messages/access.ts';
import type { HandrailError } from '../../domain/errors.ts';
import { escapeHtml } from '../../lib/markup/escape-html.ts';
import { languageOf, type PageLanguage, plainDocument, type WrittenPage } from '../plain-page.ts';

const en = {
  title: 'Confirm that it is you',
  codeLead: 'Enter the code that your authenticator app shows, or one of your recovery codes.',
  recoveryLead: 'Enter one of your recovery codes.',
  code: 'Code',
  submit: 'Continue',
  passkey: 'Use a passkey',
  passkeyFailed: 'The passkey was not used. Try again, or choose another way.',
  setUp: 'Set up a second factor',
  setUpLead:
    'This gateway asks for a second factor. Add it to an authenticator app on your phone: open the link there, or type the key. Then enter the code that the app shows.',
  open: 'Open in an authenticator app',
  key: 'Key',
  codes: 'Save your recovery codes',
  codesLead:
    'Each signs you in once if you lose your phone. They are shown only now: print them, or put them in a password manager.',
  saved: 'I saved them, continue',
};

type Words = Readonly<Record<keyof typeof en, string>>;

const words: Readonly<Record<PageLanguage, Words>> = {
  en,
  es: {
    title: 'Confirma que eres tú',
    codeLead: 'Escribe el código que muestra tu aplicación de autenticación, o uno de recuperación.',
    recoveryLead: 'Escribe uno de tus códigos de recuperación.',
    code: 'Código',
    submit: 'Continuar',
    passkey: 'Usar una llave de acceso',
    passkeyFailed: 'No se usó la llave de acceso. Inténtalo de nuevo o elige otra forma.',
    setUp: 'Configura un segundo factor',
    setUpLead:
      'Esta pasarela pide un segundo factor. Añádelo a una aplicación de autenticación de tu teléfono: abre allí el enlace o escribe la clave. Después escribe el código que muestra la aplicación.',
    open: 'Abrir en una aplicación de autenticación',
    key: 'Clave',
    codes: 'Guarda tus códigos de recuperación',
    codesLead:
      'Cada uno sirve para entrar una vez si pierdes el teléfono. Solo se muestran ahora: imprímelos o guárdalos en un gestor de contraseñas.',
    saved: 'Los he guardado, continuar',
  },
};

// What goes wrong while someone signs in; everything else is for operators, in English as everywhere.
const failuresInSpanish = new Map([
  [accessErrors.signInFailed, 'El nombre o la contraseña no son correctos.'],
  [
    accessErrors.secondFactorWrong,
    'El código no es correcto, ha caducado o ya se usó. Espera al siguiente o usa un código de recuperación.',
  ],
  [
    accessErrors.codeWrong,
    'El código no es correcto o ha caducado. Comprueba que el reloj de tu teléfono está en hora y escribe el siguiente.',
  ],
  [
    accessErrors.passkeyWrong,
    'Esta llave de acceso no se conoce aquí, o su respuesta llegó tarde. Inténtalo de nuevo o usa tu contraseña.',
  ],
  [
    accessErrors.stepExpired,
    'Este inicio de sesión empezó hace más de 10 minutos, o la cuenta ha cambiado. Vuelve a iniciar sesión.',
  ],
  [
    accessErrors.tooManySignIns,
    'Hay demasiadas personas iniciando sesión a la vez. Inténtalo dentro de un momento.',
  ],
]);

/** Why a step of a sign-in failed, in the language of the page. */
export function failureText(accepted: string | undefined, error: HandrailError): string {
  if (languageOf(accepted) === 'en') return error.message;
  const { retryAfterMs } = error.details;
  if (error.code === 'rate_limited' && retryAfterMs !== undefined)
    return `Demasiados intentos fallidos. Inténtalo de nuevo en ${Math.ceil(retryAfterMs / 1000)} s.`;
  for (const [template, text] of failuresInSpanish) if (template().message === error.message) return text;
  return error.message;
}

type Look = readonly [accepted: string | undefined, nonce: string];

/** Asks for a second factor. Passkeys need a script; a code works without. */
export function secondStepPage(
  ...[accepted, nonce, { step, challenge, failure }]: [
    ...Look,
    {
      readonly step: SecondStep;
      readonly challenge: PasskeyChallenge | null;
      readonly failure?: string | undefined;
    },
  ]
): WrittenPage {
  const language = languageOf(accepted);
  const say = words[language];
  const lead = step.kinds.includes('totp') ? say.codeLead : say.recoveryLead;
  const body = `<h1>${say.title}</h1><p>${lead}</p>
${failure === undefined ? '' : `<p class="wrong" role="alert">${escapeHtml(failure)}</p>`}
<form method="post"><input type="hidden" name="pending" value="${escapeHtml(step.pending)}">
<label class="field">${say.code}<input name="code" autocomplete="one-time-code" required maxlength="100" autocapitalize="none" spellcheck="false" autofocus></label>
<button name="action" value="code">${say.submit}</button></form>
${challenge === null ? '' : passkeyForm(language, challenge, step.pending)}`;
  return {
    language,
    html: plainDocument(language, say.title, body, {
      nonce,
      style,
      ...(challenge !== null && { script: passkeyScript }),
    }),
  };
}

/** Lets a person set up the second factor that they must have. */
export function setUpPage(
  ...[accepted, nonce, { step, draft, failure }]: [
    ...Look,
    { readonly step: SecondStep; readonly draft: TotpDraft; readonly failure?: string | undefined },
  ]
): WrittenPage {
  const language = languageOf(accepted);
  const say = words[language];
  const body = `<h1>${say.setUp}</h1><p>${say.setUpLead}</p>
<p><a href="${escapeHtml(draft.uri)}">${say.open}</a></p>
<p>${say.key}: <code class="key">${escapeHtml(draft.secret.replace(/(.{4})(?!$)/g, '$1 '))}</code></p>
${failure === undefined ? '' : `<p class="wrong" role="alert">${escapeHtml(failure)}</p>`}
<form method="post"><input type="hidden" name="pending" value="${escapeHtml(step.pending)}"><input type="hidden" name="draft" value="${escapeHtml(draft.draft)}">
<label class="field">${say.code}<input name="code" inputmode="numeric" autocomplete="one-time-code" required maxlength="100"></label>
<button name="action" value="set-up">${say.submit}</button></form>`;
  return { language, html: plainDocument(language, say.setUp, body, { nonce, style: style + keyStyle }) };
}

/** Shows recovery codes, once. */
export function recoveryCodesPage(
  ...[accepted, nonce, { codes, to }]: [...Look, { readonly codes: readonly string[]; readonly to: string }]
): WrittenPage {
  const language = languageOf(accepted);
  const say = words[language];
  const body = `<h1>${say.codes}</h1><p>${say.codesLead}</p>
<ul class="codes">${codes.map((code) => `<li><code>${escapeHtml(code)}</code></li>`).join('')}</ul>
<p><a class="button" href="${escapeHtml(to)}">${say.saved}</a></p>`;
  return { language, html: plainDocument(language, say.codes, body, { nonce, style: style + keyStyle }) };
}

/** A button that only works, and only shows, where a browser can use passkeys. */
export function passkeyForm(
  language: PageLanguage,
  { options, challenge }: PasskeyChallenge,
  pending = '',
): string {
  const say = words[language];
  return `<form method="post" id="passkey" hidden data-options="${escapeHtml(JSON.stringify(options))}"><input type="hidden" name="action" value="passkey"><input type="hidden" name="pending" value="${escapeHtml(pending)}"><input type="hidden" name="challenge" value="${escapeHtml(challenge)}"><input type="hidden" name="response">
<button class="second" type="submit">${say.passkey}</button><p class="wrong" role="alert" hidden>${say.passkeyFailed}</p></form>`;
}

/** What the button does. */
export const passkeyScript = `(()=>{const form=document.getElementById('passkey');
if(!form||!window.PublicKeyCredential||!PublicKeyCredential.parseRequestOptionsFromJSON||/^[\\d.]+$|^\\[/.test(location.hostname))return;
form.hidden=false;const wrong=form.querySelector('[role=alert]');
form.addEventListener('submit',async(event)=>{event.preventDefault();wrong.hidden=true;
try{const publicKey=PublicKeyCredential.parseRequestOptionsFromJSON(JSON.parse(form.dataset.options));
const used=await navigator.credentials.get({publicKey});
form.elements.response.value=JSON.stringify(used.toJSON());HTMLFormElement.prototype.submit.call(form)}
catch{wrong.hidden=false}})})()`;

const keyStyle = `.key{font-size:1.05rem;color:var(--ink);overflow-wrap:anywhere}.codes{list-style:none;margin:0 0 1rem;padding:0;display:grid;grid-template-columns:repeat(auto-fit,minmax(11rem,1fr));gap:.4rem}.codes code{font-size:1rem}
a.button{display:block;text-align:center;padding:.65rem;border-radius:.5rem;background:var(--mark);color:var(--on-mark);text-decoration:none;font-weight:600}`;

/** The style of the pages of a sign-in. */
export const style = `h1 b,p b{overflow-wrap:anywhere}main{overflow-wrap:break-word}.tool span{overflow-wrap:anywhere}fieldset{border:1px solid var(--line);border-radius:.5rem;padding:.25rem 1rem;margin:0 0 1rem}legend{padding:0 .25rem;font-weight:600}
.kind{display:grid;grid-template-columns:1fr auto;gap:.25rem 1rem;padding:.5rem 0}.kind+.kind{border-top:1px solid var(--line)}.kind label{display:flex;gap:.6rem;align-items:center;min-height:2rem}.kind details[open]{grid-column:1/-1}
.kind .tool{font-size:.875rem}.kind summary{cursor:pointer;color:var(--quiet);padding:.25rem 0;min-height:2rem}.destructive>label span::after{content:" ⚠";color:var(--wrong)}.named{grid-column:1/-1;margin:0}
input[type=checkbox]{width:1.15rem;height:1.15rem;flex:none;accent-color:var(--mark)}.unverified,.verified,.wrong{border-left:4px solid var(--wrong);padding:.25rem .75rem;color:var(--ink)}.verified{border-color:#2e7d32}
.small{font-size:.875rem}.small code{white-space:pre-wrap}.who{margin:0 0 .5rem}.choice{display:grid;grid-template-columns:1fr 1fr;gap:.75rem;margin-bottom:1rem}.choice button{margin:0}
button.second{background:transparent;color:var(--mark);border:1px solid var(--line)}button.plain{width:auto;min-height:1.5rem;margin:0;padding:0;background:none;color:var(--mark);font-weight:400;text-decoration:underline}
.field{display:grid;gap:.25rem;margin:0 0 .75rem}.field input{font:inherit;color:inherit;background:var(--ground);border:1px solid var(--line);border-radius:.5rem;padding:.6rem .75rem;min-height:2.75rem}
:focus-visible{outline:3px solid var(--mark);outline-offset:2px}`;
