import { completionScript, isShell, shells } from '../completion-scripts.ts';
import { type Command, exitCode, oneWord, UsageError } from '../command.ts';

/** Prints what a shell needs to complete commands, their actions and options. */
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
