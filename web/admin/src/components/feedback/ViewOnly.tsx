import { Badge, Tooltip } from '@mantine/core';
import { Eye } from 'lucide-react';
import type { Session } from '../../api/resources.ts';
import { useSession } from '../../app/account/session.tsx';
import { useText } from '../../i18n/text.tsx';

/** Says why a page cannot be changed, to those who cannot. */
export default function ViewOnly({ role }: { role: Session['role'] }) {
  const t = useText();
  const { state } = useSession();
  if (state.kind !== 'in') return null;
  const hint = t('may.hint', { role: t(`role.${role}`), mine: t(`role.${state.session.role}`) });
  return (
    <Tooltip label={hint} multiline maw={280} events={{ hover: true, focus: true, touch: true }}>
      <Badge color="gray" tabIndex={0} leftSection={<Eye size={12} aria-hidden />} aria-description={hint}>
        {t('may.viewOnly')}
      </Badge>
    </Tooltip>
  );
}
