import type { Server } from '../../api/resources.ts';
import { JsonText } from '../../arguments/ArgumentsForm.tsx';
import layout from '../../components/Layout.module.css';
import { Panel } from '../../components/Panel.tsx';
import type { Draft } from '../../editing/use-draft.tsx';
import { useText } from '../../i18n/text.tsx';

/** Prompts and resources that a server offers beside its tools, as JSON. */
export function PromptsEditor({ draft }: { draft: Draft<Server> }) {
  const t = useText();
  const { value: server, set } = draft;
  return (
    <div className={layout.split}>
      <Panel title={t('servers.promptsTitle')} lead={t('servers.promptsLead')}>
        <JsonText
          label={t('servers.promptsTitle')}
          placeholder='[{"name": "summary", "arguments": [{"name": "city"}], "text": "Summarise {{city}}."}]'
          value={server.prompts}
          onChange={(prompts) => set({ prompts: (prompts ?? []) as NonNullable<Server['prompts']> })}
        />
      </Panel>
      <Panel title={t('servers.resourcesTitle')} lead={t('servers.resourcesLead')}>
        <JsonText
          label={t('servers.resourcesTitle')}
          placeholder='[{"uri": "docs://house-rules", "name": "House rules", "text": "…"}]'
          value={server.resources}
          onChange={(resources) => set({ resources: (resources ?? []) as NonNullable<Server['resources']> })}
        />
      </Panel>
    </div>
  );
}
