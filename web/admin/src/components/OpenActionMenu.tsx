import { Menu } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Action } from './ActionMenu.tsx';

/** The menu behind a button, open from the moment it is there. */
export default function OpenActionMenu({
  button,
  actions,
}: {
  button: ReactElement;
  actions: readonly Action[];
}) {
  return (
    <Menu position="bottom-end" defaultOpened>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        {actions.map(({ name, icon: Icon, onChoose, grave = false }) => (
          <Menu.Item
            key={name}
            onClick={onChoose}
            {...(grave && { color: 'red' })}
            {...(Icon && { leftSection: <Icon size={15} aria-hidden /> })}
          >
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
