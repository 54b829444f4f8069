/** What a person can do in the app about a problem. */
export type Remedy =
  | { readonly kind: 'allow'; readonly entry: string }
  | { readonly kind: 'credential'; readonly api: string }
  | { readonly kind: 'agree'; readonly api: string };

/** A problem as the app tells it: without what is only typed in a shell, and with what to press instead. */
export interface ToldProblem {
  readonly text: string;
  readonly remedy: Remedy | null;
}

// How the gateway's sentences go on for those who have no app before them.
const forShells: readonly {
  readonly begins: string;
  readonly remedy: (rest: string, whole: string) => Remedy | null;
}[] = [
  {
    begins: ' If that is meant, an owner adds ',
    remedy: (rest) => ({ kind: 'allow', entry: rest.slice(0, rest.indexOf(' ')) }),
  },
  {
    begins: ' An operator adds one with: handrail credentials set ',
    // One for a caller of its own is entered on the command line only.
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

/** Reads a sentence of the gateway. One that it does not know stays as it is. */
export function toldProblem(message: string): ToldProblem {
  for (const { begins, remedy: remedyIn } of forShells) {
    const at = message.indexOf(begins);
    if (at === -1) continue;
    const remedy = remedyIn(message.slice(at + begins.length), message);
    if (remedy === null) continue;
    const text = message.slice(0, at);
    return { text: /[.!?]$/.test(text) ? text : `${text}.`, remedy };
  }
  return { text: message, remedy: null };
}
