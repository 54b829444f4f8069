import { Button, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useChange } from '../../api/queries.ts';
import layout from '../../components/Layout.module.css';
import { Panel } from '../../components/Panel.tsx';
import { toastProblem } from '../../components/feedback/toasts.ts';
import { useText } from '../../i18n/text.tsx';
import { slugOf } from '../servers/slug-of.ts';

/** Registers an API without a description, by name and base URL. */
export function ManualApi() {
  const t = useText();
  const [, go] = useLocation();
  const [open, setOpen] = useState(false);
  const [name, setName] = useState('');
  const [baseUrl, setBaseUrl] = useState('');
  const create = useChange('POST', '/apis', ['/apis']);
  const slug = slugOf(name);
  return (
    <Panel
      title={t('add.byHand')}
      lead={t('add.byHandLead')}
      actions={
        <Button variant="default" size="xs" aria-expanded={open} onClick={() => setOpen(!open)}>
          {t('add.byHandOpen')}
        </Button>
      }
    >
      {open && (
        <form
          className={layout.form}
          onSubmit={(event) => {
            event.preventDefault();
            create.mutate(
              { body: { slug, name, baseUrl } },
              { onSuccess: (api) => go(`/apis/${api.slug}`), onError: toastProblem },
            );
          }}
        >
          <Stack gap="md">
            <TextInput
              label={t('common.name')}
              required
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              description={slug}
            />
            <TextInput
              label={t('apis.baseUrl')}
              required
              placeholder="https://api.example.com/v1"
              value={baseUrl}
              onChange={(event) => setBaseUrl(event.currentTarget.value)}
            />
            <Button type="submit" w="fit-content" loading={create.isPending} disabled={slug === ''}>
              {t('add.register')}
            </Button>
          </Stack>
        </form>
      )}
    </Panel>
  );
}
