import { escapeHtml } from '../../lib/markup/escape-html.ts';
import { languageOf, plainDocument, type PageLanguage, type WrittenPage } from '../plain-page.ts';
import { sizeText } from '../../lib/text/amounts.ts';

/** The texts of the page. */
interface Words {
  readonly title: string;
  readonly lead: string;
  readonly choose: string;
  readonly drop: string;
  readonly send: string;
  readonly sending: string;
  readonly done: string;
  readonly doneLead: string;
  readonly failed: string;
  readonly tooLarge: string;
  readonly noneChosen: string;
  readonly empty: string;
  readonly several: string;
  readonly server: string;
  readonly expires: string;
  readonly again: string;
  readonly notSent: string;
  readonly atMost: string;
  readonly gone: string;
  readonly goneLead: string;
}

const words: Readonly<Record<PageLanguage, Words>> = {
  en: {
    title: 'Give a file to your assistant',
    lead: 'Your assistant asked for a file. The file you choose is sent to this gateway, where only your assistant can use it for a short time.',
    choose: 'Choose a file',
    drop: 'or drop it here',
    send: 'Send',
    sending: 'Sending…',
    done: 'File sent',
    doneLead: 'Go back to your assistant and ask it to continue. You can close this page.',
    failed: 'The file could not be sent. Check your connection and try again.',
    tooLarge: 'This file is too large.',
    noneChosen: 'No file was chosen.',
    empty: 'This file is empty.',
    several: 'Only one file can be sent. Drop a single file.',
    server: 'Server',
    expires: 'This link expires in {minutes} min.',
    again: 'Choose another file',
    notSent: 'The file was not sent',
    atMost: 'At most',
    gone: 'This link has expired or was already used',
    goneLead: 'This link has expired, or a file was already sent. Ask your assistant for a new link.',
  },
  es: {
    title: 'Dale un archivo a tu asistente',
    lead: 'Tu asistente pidió un archivo. Lo que elijas aquí va a esta pasarela, donde solo tu asistente puede usarlo durante poco tiempo.',
    choose: 'Elige un archivo',
    drop: 'o suéltalo aquí',
    send: 'Enviar',
    sending: 'Enviando…',
    done: 'Archivo enviado',
    doneLead: 'Vuelve a tu asistente y dile que puede continuar. Puedes cerrar esta página.',
    failed: 'No se pudo enviar el archivo. Revisa tu conexión e inténtalo de nuevo.',
    tooLarge: 'Este archivo es demasiado grande.',
    noneChosen: 'No se eligió ningún archivo.',
    empty: 'Este archivo está vacío.',
    several: 'Solo se puede enviar un archivo. Suelta uno solo.',
    server: 'Servidor',
    expires: 'Este enlace caduca en {minutes} min.',
    again: 'Elegir otro archivo',
    notSent: 'El archivo no se envió',
    atMost: 'Como máximo',
    gone: 'Este enlace caducó o ya se usó',
    goneLead: 'Este enlace caducó o ya se envió un archivo. Pide a tu asistente un enlace nuevo.',
  },
};

/** The upload page: a script shows progress; without scripts it is a plain form. */
export function uploadPage(
  accepted: string | undefined,
  place: { readonly server: string; readonly maxBytes: number; readonly expiresInMs: number },
  nonce: string,
): WrittenPage {
  const language = languageOf(accepted);
  const say = words[language];
  const { server, maxBytes } = place;
  const minutes = Math.max(1, Math.floor(place.expiresInMs / 60_000));
  const body = `<h1>${say.title}</h1>
<p id="lead">${say.lead}</p>
<form method="post" enctype="multipart/form-data">
<label id="drop" for="file"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M12 16V4m0 0 5 5m-5-5L7 9M4 16v3a1 1 0 0 0 1 1h14a1 1 0 0 0 1-1v-3"/></svg>
<strong id="chosen">${say.choose}</strong><span class="drag">${say.drop}</span><small>${say.atMost} ${sizeText(maxBytes)}</small></label>
<input id="file" type="file" name="file" required>
<progress id="progress" max="100" value="0" aria-label="${say.sending}" hidden></progress>
<p id="status" role="status" aria-live="polite"></p>
<button id="send" type="submit">${say.send}</button>
<p id="place">${say.server}: <strong>${escapeHtml(server)}</strong>. ${say.expires.replace('{minutes}', String(minutes))}</p>
</form>`;
  return {
    language,
    html: plainDocument(language, say.title, body, { nonce, style, script: script(say, maxBytes) }),
  };
}

/** Shown after a browser without scripts has sent its file. */
export function uploadedPage(accepted: string | undefined, nonce: string): WrittenPage {
  const language = languageOf(accepted);
  const say = words[language];
  return {
    language,
    html: plainDocument(language, say.done, lead(say.done, say.doneLead), { nonce, style }),
  };
}

/** Shown when the upload link is invalid or was already used. */
export function noUploadPage(accepted: string | undefined, nonce: string): WrittenPage {
  const language = languageOf(accepted);
  const say = words[language];
  return {
    language,
    html: plainDocument(language, say.gone, lead(say.gone, say.goneLead), { nonce, style }),
  };
}

/**
 * Shown when a browser without scripts failed to send its file: the reason and a link back, since the upload link is
 * still valid.
 */
export function notSentPage(
  accepted: string | undefined,
  nonce: string,
  why: 'tooLarge' | 'noneChosen' | 'failed',
  maxBytes: number,
): WrittenPage {
  const language = languageOf(accepted);
  const say = words[language];
  const bound = why === 'tooLarge' ? ` ${say.atMost} ${sizeText(maxBytes)}.` : '';
  const body = `${lead(say.notSent, `${say[why]}${bound}`)}<p><a href="">${say.again}</a></p>`;
  return { language, html: plainDocument(language, say.notSent, body, { nonce, style }) };
}

function lead(title: string, text: string): string {
  return `<h1>${title}</h1><p>${text}</p>`;
}

const style = `#drop{display:grid;justify-items:center;gap:.25rem;text-align:center;padding:1.75rem 1rem;border:2px dashed var(--line);border-radius:.5rem;cursor:pointer;overflow-wrap:anywhere}
#drop.over,#drop:hover{border-color:var(--mark)}#drop svg{width:2rem;height:2rem;fill:none;stroke:var(--mark);stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
#drop span,#drop small{color:var(--quiet)}body:not(.scripted) .drag{display:none}@media (pointer:coarse){.drag{display:none}}
#file{margin:1rem 0 0;max-width:100%;font:inherit;color:inherit}.scripted #file{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%)}
.scripted:has(#file:focus-visible) #drop,#file:focus-visible,button:focus-visible{outline:3px solid var(--mark);outline-offset:2px}
progress{width:100%;margin-top:1rem;accent-color:var(--mark)}#place{margin:1rem 0 0;font-size:.875rem;overflow-wrap:anywhere}#status{margin:.75rem 0 0;min-height:1.5rem}#status.wrong{color:var(--wrong)}`;

// The script sends the file itself to show progress; without scripts the form sends it.
function script(say: Words, maxBytes: number): string {
  const texts = JSON.stringify({ ...say, maxBytes }).replaceAll('<', '\\u003c');
  return `"use strict";(()=>{const say=${texts},by=(id)=>document.getElementById(id);
const form=document.forms[0],input=by("file"),drop=by("drop"),chosen=by("chosen"),send=by("send"),status=by("status"),bar=by("progress");
document.body.classList.add("scripted");let file=null,busy=false;send.disabled=true;input.required=false;
const tell=(text,wrong)=>{status.textContent=text;status.classList.toggle("wrong",!!wrong)};
const pick=(one)=>{if(busy||!one)return;file=one;chosen.textContent=file.name;const wrong=file.size===0?say.empty:file.size>say.maxBytes?say.tooLarge:"";send.disabled=wrong!=="";tell(wrong,wrong!=="")};
input.addEventListener("change",()=>pick(input.files[0]));
for(const name of["dragenter","dragover"])addEventListener(name,(event)=>{event.preventDefault();drop.classList.add("over")});
for(const name of["dragleave","drop"])addEventListener(name,(event)=>{event.preventDefault();drop.classList.remove("over")});
addEventListener("drop",({dataTransfer:{files}})=>{if(files.length>1&&!busy)tell(say.several,true);else pick(files[0])});
form.addEventListener("submit",(event)=>{event.preventDefault();if(busy||!file)return;const hold=(on)=>{busy=on;send.disabled=on;input.disabled=on;bar.hidden=!on;bar.value=0};hold(true);tell(say.sending);
const request=new XMLHttpRequest();request.open("PUT",location.pathname+"?name="+encodeURIComponent(file.name));
request.setRequestHeader("content-type",file.type||"application/octet-stream");
request.upload.addEventListener("progress",(sent)=>{if(sent.lengthComputable)bar.value=100*sent.loaded/sent.total});
const failed=()=>{hold(false);tell(request.status===413?say.tooLarge:request.status===404||request.status===409?say.goneLead:say.failed,true)};
request.addEventListener("error",failed);
request.addEventListener("load",()=>{if(request.status!==201)return failed();const title=document.querySelector("h1");title.textContent=say.done;document.title=say.done+" · Handrail";by("lead").textContent=say.doneLead;form.remove();title.tabIndex=-1;title.focus()});
request.send(file)})})()`;
}
