import { Textarea, TextInput } from '@mantine/core';
import { useText } from '../../i18n/text.tsx';
import { mono } from '../../theme/mono.ts';
import type { Question } from './ask.ts';

/** A proposed description or instructions, as typed. */
export interface Draft {
  readonly tool: string;
  readonly description: string;
  readonly instructions: string;
}

export const noDraft: Draft = { tool: '', description: '', instructions: '' };

/** The draft to send; nothing if nothing was typed. */
export function draftOf({ tool, description, instructions }: Draft): Question['draft'] {
  const named = tool.trim();
  const draft = {
    ...(named !== '' && description.trim() !== '' && { descriptions: { [named]: description } }),
    ...(instructions.trim() !== '' && { instructions }),
  };
  return Object.keys(draft).length === 0 ? undefined : draft;
}

/** A different tool description or server instructions, to try before saving them. */
export function DraftFields({ draft, onChange }: { draft: Draft; onChange: (draft: Draft) => void }) {
  const t = useText();
  return (
    <details>
      <summary>{t('playground.draft')}</summary>
      <TextInput
        size="xs"
        label={t('playground.draftTool')}
        styles={mono}
        value={draft.tool}
        onChange={(event) => onChange({ ...draft, tool: event.currentTarget.value })}
      />
      <Textarea
        size="xs"
        autosize
        minRows={2}
        label={t('playground.draftDescription')}
        value={draft.description}
        onChange={(event) => onChange({ ...draft, description: event.currentTarget.value })}
      />
      <Textarea
        size="xs"
        autosize
        minRows={2}
        label={t('playground.draftInstructions')}
        value={draft.instructions}
        onChange={(event) => onChange({ ...draft, instructions: event.currentTarget.value })}
      />
    </details>
  );
}
