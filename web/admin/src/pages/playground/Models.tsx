import { Badge, Button, Group, Modal, PasswordInput, Stack, TextInput } from '@mantine/core';
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
import { useFormats } from '../../i18n/format.ts';
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
type Protocol = Exclude<Model['protocol'], 'demo'>;
type Form = Omit<typeof none, 'protocol'> & { readonly protocol: Protocol };

const usual: Readonly<Record<Protocol, string>> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com',
};

/** The model that answers by a script, without a key. */
export const demoModel = {
  protocol: 'demo',
  baseUrl: 'https://demo.handrail.invalid',
  model: 'demo',
} as const;

const formOf = (model: Model): Form => ({
  ...none,
  name: model.name,
  protocol: model.protocol === 'demo' ? 'openai' : model.protocol,
  baseUrl: model.baseUrl,
  model: model.model,
  ...model.prices,
});

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
        <Panel title={t('playground.addModel')} lead={t('playground.addModelLead')}>
          <ModelForm />
        </Panel>
      </RequireRole>
    </Stack>
  );
}

function ModelRow({ model }: { model: Model }) {
  const t = useText();
  const format = useFormats();
  const remove = useChange('DELETE', '/models/:model', ['/models']);
  const onDelete = async () => {
    const title = t('playground.deleteModel', { name: model.name });
    if (await confirm({ title, text: t('playground.deleteModelText'), action: t('common.delete') }))
      remove.mutate({ params: { model: model.id } }, { onError: toastProblem });
  };
  const test = useChange('POST', '/models/:model/test');
  const [isEdited, setEdited] = useState(false);
  const onTest = () =>
    test.mutate(
      { params: { model: model.id } },
      {
        onSuccess: ({ ok, message, durationMs }) =>
          ok
            ? toastDone(t('playground.modelWorks', { message, time: format.duration(durationMs) }))
            : toastProblem(new Error(message)),
        onError: toastProblem,
      },
    );
  const isDemo = model.protocol === 'demo';
  return (
    <>
      <Row
        name={model.name}
        badge={
          <Badge color={model.hasKey ? 'green' : 'gray'}>
            {t(isDemo ? 'playground.demo' : model.hasKey ? 'playground.hasKey' : 'playground.noKey')}
          </Badge>
        }
        note={
          isDemo
            ? t('playground.demoNote')
            : [
                model.model,
                model.baseUrl,
                ...(model.keyReference === undefined ? [] : [model.keyReference]),
                ...(model.prices === undefined
                  ? []
                  : [
                      t('playground.prices', {
                        input: model.prices.input,
                        output: model.prices.output,
                        currency: model.prices.currency ?? none.currency,
                      }),
                    ]),
              ].join(' · ')
        }
        side={
          <RequireRole>
            <Button size="xs" variant="default" loading={test.isPending} onClick={onTest}>
              {t('credentials.test')}
            </Button>
            {!isDemo && (
              <Button
                size="xs"
                variant="default"
                aria-label={`${t('common.edit')}: ${model.name}`}
                onClick={() => setEdited(true)}
              >
                {t('common.edit')}
              </Button>
            )}
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
      {isEdited && (
        <Modal
          opened
          onClose={() => setEdited(false)}
          title={t('playground.editModel', { name: model.name })}
          closeButtonProps={{ 'aria-label': t('common.close') }}
        >
          <ModelForm model={model} onDone={() => setEdited(false)} />
        </Modal>
      )}
    </>
  );
}

/** A form for a new model, or an existing one, whose key stays unless another is entered. */
function ModelForm({ model, onDone }: { model?: Model; onDone?: () => void }) {
  const t = useText();
  const [form, setForm] = useState<Form>(model === undefined ? none : formOf(model));
  const add = useChange('POST', '/models', ['/models']);
  const edit = useChange('PATCH', '/models/:model', ['/models']);
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
    const given = { ...fields, ...(key !== '' && { key: key.trim() }) };
    const onSuccess = () => {
      toastDone(t(model === undefined ? 'playground.modelAdded' : 'playground.modelSaved'));
      if (model === undefined) setForm(none);
      onDone?.();
    };
    if (model === undefined)
      add.mutate({ body: { ...given, ...(hasPrices && { prices }) } }, { onSuccess, onError: toastProblem });
    else
      edit.mutate(
        {
          params: { model: model.id },
          revision: model.revision,
          body: { ...given, prices: hasPrices ? prices : null },
        },
        { onSuccess, onError: toastProblem },
      );
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isComplete) save();
      }}
    >
      <Stack gap="sm" maw={560}>
        <TextInput label={t('playground.modelName')} value={form.name} onChange={set('name')} required />
        <SelectInput<Protocol>
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
          description={t(model?.hasKey ? 'playground.keyStays' : 'playground.keyHint')}
          autoComplete="off"
          value={form.key}
          onChange={set('key')}
          visibilityToggleButtonProps={{ 'aria-label': t('playground.showKey') }}
        />
        <Group gap="sm" grow align="flex-end">
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
            {...(model === undefined && { leftSection: <Plus size={16} aria-hidden /> })}
            disabled={!isComplete}
            loading={add.isPending || edit.isPending}
          >
            {t(model === undefined ? 'playground.addModel' : 'common.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
