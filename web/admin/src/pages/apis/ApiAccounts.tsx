import { Badge, Button } from '@mantine/core';
import { Users } from 'lucide-react';
import { useChange, useGet } from '../../api/queries.ts';
import { confirm } from '../../components/feedback/confirm.ts';
import { EmptyState } from '../../components/feedback/EmptyState.tsx';
import { Loaded } from '../../components/feedback/Loaded.tsx';
import { toastProblem } from '../../components/feedback/toasts.ts';
import { Panel } from '../../components/Panel.tsx';
import { Row, RowList } from '../../components/tables/RowList.tsx';
import { useFormats } from '../../i18n/format.ts';
import { useText } from '../../i18n/text.tsx';

/** Who connected an account of their own to an API, for owners. */
export function ApiAccounts({ api }: { api: string }) {
  const t = useText();
  const format = useFormats();
  const accounts = useGet('/apis/:api/accounts', { params: { api }, query: { limit: 500 } });
  const remove = useChange('DELETE', '/apis/:api/accounts/:person', ['/apis/:api/accounts']);
  const onDisconnect = async (person: { id: string; name: string }) => {
    if (
      await confirm({
        title: t('accounts.disconnectPersonTitle', { name: person.name }),
        text: t('accounts.disconnectText'),
        action: t('accounts.disconnect'),
      })
    )
      remove.mutate({ params: { api, person: person.id } }, { onError: toastProblem });
  };
  return (
    <Panel title={t('accounts.people')} lead={t('accounts.peopleLead')} flush>
      <Loaded query={accounts}>
        {({ items, nextCursor }) =>
          items.length === 0 ? (
            <EmptyState icon={Users} title={t('accounts.noPeople')} text={t('accounts.noPeopleText')} />
          ) : (
            <RowList>
              {items.map(({ person, status, updatedAt }) => (
                <Row
                  key={person.id}
                  name={person.name}
                  badge={status === 'outdated' && <Badge color="orange">{t('accounts.outdated')}</Badge>}
                  note={t('accounts.since', { when: format.moment(updatedAt) })}
                  side={
                    <Button
                      size="xs"
                      variant="default"
                      aria-label={`${t('accounts.disconnect')}: ${person.name}`}
                      onClick={() => void onDisconnect(person)}
                    >
                      {t('accounts.disconnect')}
                    </Button>
                  }
                />
              ))}
              {nextCursor !== null && <Row name={t('accounts.more')} />}
            </RowList>
          )
        }
      </Loaded>
    </Panel>
  );
}
