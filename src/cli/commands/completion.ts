import { type Command, exitCode, oneWord, UsageError, type CommandTable } from '../command.ts';
import { clientNames } from '../connect-clients.ts';

/** Prints a shell script that completes commands, their actions and options. */
export const completion: Command = {
  summary: 'print a script that completes commands in bash, zsh or fish',
  usage: 'bash|zsh|fish',
  examples: [
    'source <(handrail completion bash)',
    'handrail completion zsh > "${fpath[1]}/_handrail"',
    'handrail completion fish > ~/.config/fish/completions/handrail.fish',
  ],
  async run(input) {
    const shell = oneWord(input, `the shell (one of ${shells.join(', ')})`);
    if (!isShell(shell))
      throw new UsageError(`there is no completion for "${shell}": use one of ${shells.join(', ')}`);
    input.print(await completionScript(shell, input.commands ?? {}));
    return exitCode.ok;
  },
};

/** Shells with completion support. */
export const shells = ['bash', 'zsh', 'fish'] as const;

type Shell = (typeof shells)[number];

/** Whether there is a script for a shell. */
function isShell(name: string): name is Shell {
  return shells.some((shell) => shell === name);
}

/** A command, as completed by a shell. */
interface Completed {
  readonly name: string;
  readonly summary: string;
  /** Words that may follow it. */
  readonly words: readonly string[];
  readonly options: readonly {
    readonly flag: string;
    readonly about: string;
    readonly takesValue: boolean;
    readonly choices: readonly string[];
  }[];
}

const shared = [
  { flag: '--help', about: 'Show usage.', takesValue: false, choices: [] },
  { flag: '--json', about: 'Print JSON for machines.', takesValue: false, choices: [] },
  { flag: '--url', about: 'Talk to a running gateway.', takesValue: true, choices: [] },
  { flag: '--data-dir', about: 'The data folder.', takesValue: true, choices: [] },
];

/** The script for a shell, generated from the option tables of the commands. */
export async function completionScript(shell: Shell, commands: CommandTable): Promise<string> {
  const all = await Promise.all(
    Object.entries(commands).map(async ([name, load]) => completed(name, await load())),
  );
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](all);
}

function completed(name: string, { summary, usage, options = {} }: Command): Completed {
  return {
    name,
    summary,
    words: name === 'connect' ? clientNames : wordsOf(usage),
    options: [
      ...Object.entries(options).map(([option, { about, type, value = '' }]) => ({
        flag: `--${option}`,
        about,
        takesValue: type === 'string',
        choices: /^[a-z0-9|-]+$/.test(value) && value.includes('|') ? value.split('|') : [],
      })),
      ...shared,
    ],
  };
}

/** The literal words of a usage line: actions, but not options or placeholders. */
function wordsOf(usage: string): string[] {
  const words = usage
    .replaceAll(/--[\w-]+(?: [^\s\]]+)?/g, ' ')
    .split(/[\s[\]|…]+/)
    .filter((word) => /^[a-z][a-z-]+$/.test(word));
  return [...new Set(words)];
}

const flagsOf = ({ options }: Completed) => options.map(({ flag }) => flag);

function bashScript(all: readonly Completed[]): string {
  return `# bash completion for handrail
_handrail() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" words="" flags=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${all.map(({ name }) => name).join(' ')}" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]} $before" in
${all
  .flatMap(({ name, options }) =>
    options
      .filter(({ choices }) => choices.length > 0)
      .map(
        ({ flag, choices }) =>
          `    "${name} ${flag}") COMPREPLY=($(compgen -W "${choices.join(' ')}" -- "$word")); return ;;`,
      ),
  )
  .join('\n')}
  esac
  case "\${COMP_WORDS[1]}" in
${all.map((one) => `    ${one.name}) words="${one.words.join(' ')}"; flags="${flagsOf(one).join(' ')}" ;;`).join('\n')}
  esac
  case "$word" in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$word")) ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$word")) ;;
  esac
}
complete -o default -F _handrail handrail`;
}

function zshScript(all: readonly Completed[]): string {
  return `#compdef handrail
# zsh completion for handrail
_handrail() {
  local -a commands
  commands=(
${all.map(({ name, summary }) => `    ${quote(`${name}:${summary}`)}`).join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  case "\${words[2]}" in
${all
  .map(
    (one) =>
      `    ${one.name}) _arguments ${[
        ...one.options.map(zshOption),
        `'*:word:${one.words.length === 0 ? '_files' : `(${one.words.join(' ')})`}'`,
      ].join(' ')} ;;`,
  )
  .join('\n')}
  esac
}
if [ "$funcstack[1]" = _handrail ]; then _handrail "$@"; else compdef _handrail handrail; fi`;
}

function zshOption({ flag, about, takesValue, choices }: Completed['options'][number]): string {
  const description = about.replaceAll(/[[\]:\\]/g, '\\$&');
  const value = takesValue ? `:value:${choices.length === 0 ? '_files' : `(${choices.join(' ')})`}` : '';
  return quote(`*${flag}[${description}]${value}`);
}

function fishScript(all: readonly Completed[]): string {
  return `# fish completion for handrail
complete -c handrail -f -n __fish_use_subcommand
${all
  .flatMap(({ name, summary, words, options }) => [
    `complete -c handrail -n __fish_use_subcommand -a ${name} -d ${quote(summary)}`,
    ...(words.length === 0
      ? []
      : [`complete -c handrail -f -n '__fish_seen_subcommand_from ${name}' -a ${quote(words.join(' '))}`]),
    ...options.map(
      ({ flag, about, takesValue, choices }) =>
        `complete -c handrail -n '__fish_seen_subcommand_from ${name}' -l ${flag.slice(2)} -d ${quote(about)}${
          takesValue ? (choices.length === 0 ? ' -r' : ` -x -a ${quote(choices.join(' '))}`) : ''
        }`,
    ),
  ])
  .join('\n')}`;
}

/** Single-quotes a text, in a way that all three shells accept. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
