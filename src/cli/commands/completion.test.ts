import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { commands } from '../commands.ts';
import { completionScript, shells } from './completion.ts';

const hasBash = spawnSync('bash', ['--version']).status === 0;

/** What bash offers for the last of these words. */
function offered(script: string, ...words: string[]): string[] {
  const quoted = words.map((word) => `'${word}'`).join(' ');
  const program = `${script}\nCOMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _handrail; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return spawnSync('bash', ['--norc', '-c', program], { encoding: 'utf8' }).stdout.trim().split('\n');
}

describe('completion', () => {
  it.each(shells)('knows every command and its options in %s', async (shell) => {
    const script = await completionScript(shell, commands);
    for (const [name, load] of Object.entries(commands)) {
      expect(script).toContain(name);
      for (const option of Object.keys((await load()).options ?? {})) expect(script).toContain(option);
    }
  });

  it.runIf(hasBash)('completes commands, actions, options and their choices in bash', async () => {
    const script = await completionScript('bash', commands);
    expect(offered(script, 'handrail', 'cal')).toEqual(['call', 'calls']);
    expect(offered(script, 'handrail', 'servers', 'up')).toEqual(['update']);
    expect(offered(script, 'handrail', 'call', '--max')).toEqual(['--max-items']);
    expect(offered(script, 'handrail', 'servers', 'create', 'x', '--mode', 'se')).toEqual(['search']);
    expect(offered(script, 'handrail', 'completion', '')).toEqual(['bash', 'zsh', 'fish']);
    expect(offered(script, 'handrail', 'connect', 'claude-d')).toEqual(['claude-desktop']);
  });
});
