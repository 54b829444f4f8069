import { recall, remember } from './controls/preferences.ts';

/** Every text of the page: English, Spanish. `{name}` is filled in. */
const table = {
  access: ['Access key', 'Clave de acceso'],
  accessSet: ['Key set', 'Clave puesta'],
  accessTitle: ['This server asks for a key', 'Este servidor pide una clave'],
  accessHelp: [
    'It is sent as “Authorization: Bearer …” with each request of this page, kept for this tab and this server only, and gone when you close the tab.',
    'Se envía como «Authorization: Bearer …» con cada petición de esta página, se guarda solo para esta pestaña y este servidor, y desaparece al cerrar la pestaña.',
  ],
  accessWrong: ['The server did not accept this key.', 'El servidor no aceptó esta clave.'],
  accessUse: ['Use key', 'Usar clave'],
  accessForget: ['Forget key', 'Olvidar clave'],
  cancel: ['Cancel', 'Cancelar'],
  close: ['Close', 'Cerrar'],
  language: ['Español', 'English'],
  toDark: ['Dark colours', 'Colores oscuros'],
  toLight: ['Light colours', 'Colores claros'],
  seenAs: ['How the tools are seen', 'Cómo se ven las herramientas'],
  seenWhole: ['All tools, in full', 'Todas las herramientas, enteras'],
  seenBy: ['{mode}, as clients see it', '{mode}, como lo ven los clientes'],
  skip: ['Skip to the tool', 'Ir a la herramienta'],
  tools: ['Tools', 'Herramientas'],
  searchTools: ['Search tools', 'Buscar herramientas'],
  toolCount: ['{count} tools', '{count} herramientas'],
  toolCountOne: ['1 tool', '1 herramienta'],
  matchCount: ['{count} of {total}', '{count} de {total}'],
  noMatch: ['No tool matches “{query}”.', 'Ninguna herramienta coincide con «{query}».'],
  noTools: ['This server has no tools yet.', 'Este servidor aún no tiene herramientas.'],
  otherGroup: ['Other', 'Otras'],
  loading: ['Loading…', 'Cargando…'],
  loadFailed: ['The tools could not be loaded: {reason}', 'No se pudieron cargar las herramientas: {reason}'],
  tryAgain: ['Try again', 'Reintentar'],
  welcomeHelp: [
    'Pick one from the list, or press / and type. Arrow keys move, Enter opens, Esc goes back.',
    'Elija una de la lista, o pulse / y escriba. Las flechas mueven, Intro abre, Esc vuelve.',
  ],
  connect: ['Connect a client', 'Conectar un cliente'],
  connectHelp: [
    'Clients that speak MCP over HTTP take this address.',
    'Los clientes que hablan MCP por HTTP usan esta dirección.',
  ],
  copyAddress: ['Copy address', 'Copiar dirección'],
  instructions: ['What models are told', 'Lo que se dice a los modelos'],
  groups: ['What the tools are about', 'De qué tratan las herramientas'],
  toolGone: ['There is no tool named “{name}”.', 'No hay ninguna herramienta llamada «{name}».'],
  backToList: ['All tools', 'Todas las herramientas'],
  copyLink: ['Copy link', 'Copiar enlace'],
  readOnly: ['read-only', 'solo lectura'],
  readOnlyHelp: ['Says it changes nothing.', 'Declara que no cambia nada.'],
  destructive: ['destructive', 'destructiva'],
  destructiveHelp: ['May delete or overwrite something.', 'Puede borrar o sobrescribir algo.'],
  idempotent: ['idempotent', 'idempotente'],
  idempotentHelp: [
    'Calling it again with the same arguments has no further effect.',
    'Repetir la llamada con los mismos argumentos no tiene más efecto.',
  ],
  openWorld: ['open world', 'mundo abierto'],
  openWorldHelp: [
    'Reaches out to systems beyond this server.',
    'Accede a sistemas externos a este servidor.',
  ],
  closedWorld: ['closed world', 'mundo cerrado'],
  closedWorldHelp: ['Works only on what this server holds.', 'Solo trabaja con lo que hay en este servidor.'],
  tryIt: ['Try it', 'Probar'],
  inputSchema: ['Input schema', 'Esquema de entrada'],
  outputSchema: ['Output schema', 'Esquema de salida'],
  asTree: ['Tree', 'Árbol'],
  asJson: ['JSON', 'JSON'],
  asTable: ['Table', 'Tabla'],
  asText: ['Plain', 'Plano'],
  asMarkdown: ['Formatted', 'Con formato'],
  arguments: ['Arguments', 'Argumentos'],
  form: ['Form', 'Formulario'],
  json: ['JSON', 'JSON'],
  jsonArguments: ['Arguments as JSON', 'Argumentos en JSON'],
  noArguments: ['This tool takes no arguments.', 'Esta herramienta no tiene argumentos.'],
  fillAll: ['Fill in all', 'Rellenar todo'],
  fillAllHelp: ['Adds the optional arguments too', 'Añade también los argumentos opcionales'],
  reset: ['Reset', 'Restablecer'],
  invalidJson: ['Not valid JSON, line {line}: {reason}', 'JSON no válido, línea {line}: {reason}'],
  required: ['required', 'obligatorio'],
  optional: ['optional', 'opcional'],
  notSet: ['not set', 'sin valor'],
  add: ['Add', 'Añadir'],
  addItem: ['Add item', 'Añadir elemento'],
  addItemTo: ['Add item to {name}', 'Añadir elemento a {name}'],
  addNamed: ['Add {name}', 'Añadir {name}'],
  remove: ['Remove', 'Quitar'],
  removeNamed: ['Remove {name}', 'Quitar {name}'],
  moveUp: ['Move {name} up', 'Subir {name}'],
  moveDown: ['Move {name} down', 'Bajar {name}'],
  itemNumber: ['Item {number}', 'Elemento {number}'],
  propertyName: ['Property name', 'Nombre de la propiedad'],
  variant: ['Kind of {name}', 'Tipo de {name}'],
  variantNumber: ['Option {number}', 'Opción {number}'],
  chooseFile: ['Choose a file for {name}', 'Elegir un archivo para {name}'],
  fileSet: ['{size} as Base64', '{size} en Base64'],
  deprecated: ['deprecated', 'obsoleto'],
  defaultIs: ['default {value}', 'por defecto {value}'],
  exampleIs: ['for example {value}', 'por ejemplo {value}'],
  execute: ['Execute', 'Ejecutar'],
  executing: ['Executing…', 'Ejecutando…'],
  executeAnyway: ['Execute anyway', 'Ejecutar de todos modos'],
  executeOff: [
    'Execution is switched off on this server; arguments can still be validated.',
    'La ejecución está desactivada en este servidor; aún se pueden validar los argumentos.',
  ],
  confirmDestructive: [
    'This tool may delete or overwrite something.',
    'Esta herramienta puede borrar o sobrescribir algo.',
  ],
  confirmTitle: ['Execute {name}?', '¿Ejecutar {name}?'],
  validate: ['Validate', 'Validar'],
  valid: ['The arguments fit the schema.', 'Los argumentos cumplen el esquema.'],
  invalidOne: ['1 problem with the arguments', '1 problema con los argumentos'],
  invalidCount: ['{count} problems with the arguments', '{count} problemas con los argumentos'],
  root: ['arguments', 'argumentos'],
  copyAs: ['Copy as', 'Copiar como'],
  copied: ['Copied', 'Copiado'],
  copiedAs: ['Copied as {what}', 'Copiado como {what}'],
  copyFailed: ['The browser did not allow copying', 'El navegador no permitió copiar'],
  copy: ['Copy', 'Copiar'],
  download: ['Download', 'Descargar'],
  requestSize: ['Request {size} · tokens: about {tokens}', 'Petición {size} · tokens: aprox. {tokens}'],
  result: ['Result', 'Resultado'],
  raw: ['Raw MCP', 'MCP en bruto'],
  history: ['History', 'Historial'],
  noResult: ['Nothing executed yet', 'Aún no se ha ejecutado nada'],
  noResultHelp: [
    'Fill in the arguments and press Execute (Ctrl + Enter).',
    'Rellene los argumentos y pulse Ejecutar (Ctrl + Intro).',
  ],
  notExecuted: ['Not executed', 'No se ejecutó'],
  notExecutedHelp: [
    'Earlier answers are in the history.',
    'Las respuestas anteriores están en el historial.',
  ],
  emptyResult: ['The tool answered with no content.', 'La herramienta respondió sin contenido.'],
  succeeded: ['Success', 'Éxito'],
  toolError: ['Tool error', 'Error de la herramienta'],
  apiAnswered: ['API answered {status}', 'La API respondió {status}'],
  failed: ['Failed', 'Falló'],
  cancelled: ['Cancelled', 'Cancelada'],
  cancelledHelp: [
    'You stopped waiting after {time}. The server may still finish the call.',
    'Dejó de esperar tras {time}. El servidor aún puede terminar la llamada.',
  ],
  networkError: ['The server could not be reached.', 'No se pudo contactar con el servidor.'],
  answerSize: ['{size} · tokens: about {tokens}', '{size} · tokens: aprox. {tokens}'],
  trace: ['trace {id}', 'traza {id}'],
  searchResult: ['Search in the result', 'Buscar en el resultado'],
  found: ['{count} found', '{count} encontrados'],
  showMore: ['Show {count} more', 'Mostrar {count} más'],
  rows: ['{count} rows', '{count} filas'],
  image: ['Image', 'Imagen'],
  imageAlt: ['Image in the result, {type}', 'Imagen en el resultado, {type}'],
  audio: ['Audio', 'Audio'],
  resource: ['Resource', 'Recurso'],
  resourceLink: ['Link to a resource', 'Enlace a un recurso'],
  cannotShow: [
    'Content of type “{type}” cannot be shown; see Raw MCP.',
    'El contenido de tipo «{type}» no se puede mostrar; vea MCP en bruto.',
  ],
  text: ['Text', 'Texto'],
  noHistory: [
    'Calls made on this page appear here until it is closed.',
    'Las llamadas hechas en esta página aparecen aquí hasta cerrarla.',
  ],
  repeat: ['Use again', 'Usar otra vez'],
  show: ['Show', 'Ver'],
  compareHelp: [
    'Tick two calls to compare their answers.',
    'Marque dos llamadas para comparar sus respuestas.',
  ],
  compareSame: ['The two answers are the same.', 'Las dos respuestas son iguales.'],
  compareTitle: ['What changed', 'Qué cambió'],
  selectCall: ['Select the call of {time} to {name}', 'Seleccionar la llamada de {time} a {name}'],
  anyValue: ['any', 'cualquiera'],
  hint_type: ['must be {wanted}', 'debe ser {wanted}'],
  hint_required: ['is required', 'es obligatorio'],
  hint_enum: ['must be one of the listed values', 'debe ser uno de los valores indicados'],
  hint_const: ['must be {wanted}', 'debe ser {wanted}'],
  hint_minimum: ['must be {wanted} or more', 'debe ser {wanted} o más'],
  hint_maximum: ['must be {wanted} or less', 'debe ser {wanted} o menos'],
  hint_exclusiveMinimum: ['must be more than {wanted}', 'debe ser más de {wanted}'],
  hint_exclusiveMaximum: ['must be less than {wanted}', 'debe ser menos de {wanted}'],
  hint_multipleOf: ['must be a multiple of {wanted}', 'debe ser múltiplo de {wanted}'],
  hint_minLength: ['needs {wanted} or more characters', 'necesita {wanted} caracteres o más'],
  hint_maxLength: ['takes at most {wanted} characters', 'admite {wanted} caracteres como máximo'],
  hint_pattern: ['must match {wanted}', 'debe cumplir {wanted}'],
  hint_format: ['must have the format {wanted}', 'debe tener el formato {wanted}'],
  hint_minItems: ['needs {wanted} or more items', 'necesita {wanted} elementos o más'],
  hint_maxItems: ['takes at most {wanted} items', 'admite {wanted} elementos como máximo'],
  hint_uniqueItems: ['must not repeat an item', 'no debe repetir elementos'],
  hint_additionalProperties: ['must not have “{wanted}”', 'no debe tener «{wanted}»'],
} as const satisfies Record<string, readonly [english: string, spanish: string]>;

export type TextKey = keyof typeof table;
export type Language = 'en' | 'es';

let language: Language = 'en';

/** The text for a key in the current language. */
export function t(key: TextKey, values: Record<string, string | number> = {}): string {
  const text: string = table[key][language === 'es' ? 1 : 0];
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => (name in values ? String(values[name]) : whole));
}

/** The text for a key that may not be in the table. */
export function textIfKnown(key: string, values: Record<string, string | number>): string | null {
  return Object.hasOwn(table, key) ? t(key as TextKey, values) : null;
}

/** The language that is shown now. */
export function currentLanguage(): Language {
  return language;
}

/** Speaks another language from now on, where somebody else decides which. */
export function speak(next: Language): void {
  language = next;
}

/** Switches the language and remembers it; what is on screen must be drawn again. */
export function setLanguage(next: Language): void {
  language = next;
  document.documentElement.lang = next;
  remember('language', next);
}

/** Takes the remembered language, or the browser's. */
export function startLanguage(): void {
  const wanted = recall('language') ?? navigator.language;
  language = wanted.toLowerCase().startsWith('es') ? 'es' : 'en';
  document.documentElement.lang = language;
}
