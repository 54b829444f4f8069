import { Select, Stack, Textarea, TextInput } from '@mantine/core';
import type { Tool } from '../../api/resources.ts';
import { JsonText } from '../../arguments/ArgumentsForm.tsx';
import layout from '../../components/Layout.module.css';
import { Panel } from '../../components/Panel.tsx';
import { useText } from '../../i18n/text.tsx';
import { mono } from '../../theme/mono.ts';
import { PaginationEditor } from './PaginationEditor.tsx';

type Operation = Tool['operation'];

/** The HTTP side of a tool: method, path, accepted types and body. */
export function RequestEditor({
  operation,
  onChange,
  problemAt,
}: {
  operation: Operation;
  onChange: (changes: Partial<Operation>) => void;
  /** The error of a field of the operation. */
  problemAt: (field: string) => string | undefined;
}) {
  const t = useText();
  return (
    <div className={layout.split}>
      <Panel title={t('tools.request')}>
        <Stack gap="md">
          <Select
            label={t('common.method')}
            allowDeselect={false}
            data={[
              ...new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', operation.method]),
            ]}
            value={operation.method}
            onChange={(method) => method && onChange({ method })}
          />
          <TextInput
            label={t('common.path')}
            error={problemAt('/path')}
            description={t('tools.pathHint')}
            value={operation.path}
            onChange={(event) => onChange({ path: event.currentTarget.value })}
            styles={mono}
          />
          <TextInput
            label={t('tools.ownBaseUrl')}
            error={problemAt('/baseUrl')}
            description={t('tools.ownBaseUrlHint')}
            value={operation.baseUrl ?? ''}
            onChange={(event) => onChange({ baseUrl: event.currentTarget.value || undefined })}
          />
          <TextInput
            label={t('tools.accept')}
            error={problemAt('/accept')}
            placeholder="application/json"
            value={operation.accept ?? ''}
            onChange={(event) => onChange({ accept: event.currentTarget.value || undefined })}
          />
        </Stack>
      </Panel>
      <Panel title={t('tools.body')} lead={t('tools.bodyLead')}>
        <BodyFields body={operation.body} onChange={(body) => onChange({ body })} />
      </Panel>
      <PaginationEditor operation={operation} onChange={onChange} problemAt={problemAt} />
    </div>
  );
}

/** How arguments become the request body. */
export function BodyFields({
  body,
  onChange,
}: {
  body: Operation['body'];
  onChange: (body: Operation['body']) => void;
}) {
  const t = useText();
  return (
    <Stack gap="md">
      <TextInput
        label={t('tools.mediaType')}
        placeholder={t('tools.noBody')}
        value={body?.mediaType ?? ''}
        onChange={(event) =>
          onChange(
            event.currentTarget.value === ''
              ? undefined
              : { shape: 'fields', ...body, mediaType: event.currentTarget.value },
          )
        }
      />
      {body && (
        <>
          <Select
            label={t('tools.bodyShape')}
            allowDeselect={false}
            data={(['fields', 'whole', 'template'] as const).map((shape) => ({
              value: shape,
              label: t(`tools.shape.${shape}`),
            }))}
            value={body.shape}
            onChange={(shape) => shape && onChange({ ...body, shape: shape })}
          />
          {body.shape === 'template' && (
            <Textarea
              label={t('tools.bodyTemplate')}
              autosize
              minRows={5}
              styles={mono}
              value={body.template ?? ''}
              onChange={(event) => onChange({ ...body, template: event.currentTarget.value })}
            />
          )}
          <JsonText
            label={t('tools.encoding')}
            value={body.encoding}
            onChange={(encoding) => onChange({ ...body, encoding: encoding as typeof body.encoding })}
          />
        </>
      )}
    </Stack>
  );
}
