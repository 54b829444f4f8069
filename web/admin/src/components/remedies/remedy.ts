/** An action in the app that fixes a problem. */
export type Remedy =
  | { readonly kind: 'allow'; readonly entry: string }
  | { readonly kind: 'credential'; readonly api: string }
  | { readonly kind: 'agree'; readonly api: string };

/** A problem without its command-line advice, and the remedy to offer instead. */
export interface ActionableProblem {
  readonly text: string;
  readonly remedy: Remedy | null;
}

// The command-line advice in the gateway's messages, and the remedy each corresponds to.
const shellAdvice: readonly {
  readonly begins: string;
  readonly remedy: (rest: string, whole: string) => Remedy | null;
}[] = [
  {
    begins: ' To allow it, an owner adds ',
    remedy: (rest) => ({ kind: 'allow', entry: rest.slice(0, rest.indexOf(' ')) }),
  },
  {
    begins: ' An operator adds one with: handrail credentials set ',
    // A caller's own credential can be set only on the command line.
    remedy: (rest) => (rest.includes(' --caller ') ? null : { kind: 'credential', api: firstWord(rest) }),
  },
  {
    begins: ': an operator must enter it again',
    remedy: (_rest, whole) => {
      const api = /the API "([\w-]+)"/.exec(whole)?.[1];
      return api === undefined ? null : { kind: 'credential', api };
    },
  },
  {
    begins: ' An owner agrees with: handrail apis agree ',
    remedy: (rest) => ({ kind: 'agree', api: firstWord(rest) }),
  },
];

const firstWord = (text: string): string => /^[\w-]*/.exec(text)![0];

/** Finds the remedy in a message of the gateway. Unknown messages are returned unchanged. */
export function actionableProblem(message: string): ActionableProblem {
  for (const { begins, remedy: remedyIn } of shellAdvice) {
    const at = message.indexOf(begins);
    if (at === -1) continue;
    const remedy = remedyIn(message.slice(at + begins.length), message);
    if (remedy === null) continue;
    const text = message.slice(0, at);
    return { text: /[.!?]$/.test(text) ? text : `${text}.`, remedy };
  }
  return { text: message, remedy: null };
}
