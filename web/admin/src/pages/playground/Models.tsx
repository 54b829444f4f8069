import { Badge, Button, Group, PasswordInput, Stack, TextInput } from '@mantine/core';
import { Plus, Trash2 } from 'lucide-react';
import { type SyntheticEvent, useState } from 'react';
import { useChange } from '../../api/queries.ts';
import type { Model } from '../../api/resources.ts';
import { RequireRole } from '../../app/account/permissions.tsx';
import { confirm } from '../../components/feedback/confirm.ts';
import { toastDone, toastProblem } from '../../components/feedback/toasts.ts';
import { SelectInput } from '../../components/inputs/SelectInput.tsx';
import { Panel } from '../../components/Panel.tsx';
import { Row, RowList } from '../../components/tables/RowList.tsx';
import { useText } from '../../i18n/text.tsx';

const none = {
  name: '',
  protocol: 'openai' as const,
  baseUrl: '',
  model: '',
  key: '',
  input: '',
  output: '',
  currency: 'USD',
};
type Form = Omit<typeof none, 'protocol'> & { readonly protocol: Model['protocol'] };

const usual: Readonly<Record<Model['protocol'], string>> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com',
};

/** The models that can be asked, and a form to add one. */
export function Models({ models }: { models: readonly Model[] }) {
  const t = useText();
  return (
    <Stack gap="md">
      {models.length > 0 && (
        <Panel title={t('playground.models')} flush>
          <RowList>
            {models.map((model) => (
              <ModelRow key={model.id} model={model} />
            ))}
          </RowList>
        </Panel>
      )}
      <RequireRole>
        <NewModel />
      </RequireRole>
    </Stack>
  );
}

function ModelRow({ model }: { model: Model }) {
  const t = useText();
  const remove = useChange('DELETE', '/models/:model', ['/models']);
  const onDelete = async () => {
    const title = t('playground.deleteModel', { name: model.name });
    if (await confirm({ title, text: t('playground.deleteModelText'), action: t('common.delete') }))
      remove.mutate({ params: { model: model.id } }, { onError: toastProblem });
  };
  return (
    <Row
      name={model.name}
      badge={
        <Badge color={model.hasKey ? 'green' : 'gray'}>
          {t(model.hasKey ? 'playground.hasKey' : 'playground.noKey')}
        </Badge>
      }
      note={[
        model.model,
        model.baseUrl,
        ...(model.keyReference === undefined ? [] : [model.keyReference]),
      ].join(' · ')}
      side={
        <RequireRole>
          <Button
            size="xs"
            px={7}
            variant="default"
            aria-label={`${t('common.delete')}: ${model.name}`}
            onClick={() => void onDelete()}
          >
            <Trash2 size={15} aria-hidden />
          </Button>
        </RequireRole>
      }
    />
  );
}

function NewModel() {
  const t = useText();
  const [form, setForm] = useState<Form>(none);
  const add = useChange('POST', '/models', ['/models']);
  const set = (name: keyof Form) => (event: SyntheticEvent<HTMLInputElement>) =>
    setForm({ ...form, [name]: event.currentTarget.value });
  const isComplete = form.name.trim() !== '' && form.baseUrl.trim() !== '' && form.model.trim() !== '';
  const save = () => {
    const { key, input, output, currency, ...fields } = form;
    const hasPrices = input.trim() !== '' && output.trim() !== '';
    const prices = {
      input: input.trim(),
      output: output.trim(),
      ...(currency.trim() !== '' && { currency: currency.trim() }),
    };
    add.mutate(
      { body: { ...fields, ...(key !== '' && { key: key.trim() }), ...(hasPrices && { prices }) } },
      {
        onSuccess: () => {
          toastDone(t('playground.modelAdded'));
          setForm(none);
        },
        onError: toastProblem,
      },
    );
  };
  return (
    <Panel title={t('playground.addModel')} lead={t('playground.addModelLead')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isComplete) save();
        }}
      >
        <Stack gap="sm" maw={560}>
          <TextInput label={t('playground.modelName')} value={form.name} onChange={set('name')} required />
          <SelectInput<Model['protocol']>
            required
            name={t('playground.protocol')}
            options={(['openai', 'anthropic'] as const).map((value) => ({
              value,
              label: t(`playground.protocol.${value}`),
            }))}
            value={form.protocol}
            onChange={(protocol) => protocol !== null && setForm({ ...form, protocol })}
          />
          <TextInput
            label={t('playground.baseUrl')}
            placeholder={usual[form.protocol]}
            value={form.baseUrl}
            onChange={set('baseUrl')}
            required
          />
          <TextInput label={t('playground.modelId')} value={form.model} onChange={set('model')} required />
          <PasswordInput
            label={t('playground.key')}
            description={t('playground.keyHint')}
            autoComplete="off"
            value={form.key}
            onChange={set('key')}
            visibilityToggleButtonProps={{ 'aria-label': t('playground.showKey') }}
          />
          <Group gap="sm" grow>
            <TextInput
              label={t('playground.inputPrice')}
              inputMode="decimal"
              value={form.input}
              onChange={set('input')}
            />
            <TextInput
              label={t('playground.outputPrice')}
              inputMode="decimal"
              value={form.output}
              onChange={set('output')}
            />
            <TextInput
              label={t('playground.currency')}
              maxLength={3}
              value={form.currency}
              onChange={set('currency')}
            />
          </Group>
          <Group>
            <Button
              type="submit"
              leftSection={<Plus size={16} aria-hidden />}
              disabled={!isComplete}
              loading={add.isPending}
            >
              {t('playground.addModel')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}
