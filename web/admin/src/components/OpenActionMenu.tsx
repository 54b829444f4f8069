import { Menu } from '@mantine/core';
import type { LucideIcon } from 'lucide-react';
import type { ReactElement } from 'react';

/** An entry of a menu. */
export interface Action {
  readonly name: string;
  readonly icon?: LucideIcon;
  readonly onChoose: () => void;
  /** Cannot be undone. */
  readonly destructive?: boolean;
  /** Makes it an option to turn on and off, which keeps the menu open. */
  readonly checked?: boolean;
}

/** A menu that is open when it mounts. */
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
        {actions.map(({ name, icon: Icon, onChoose, destructive = false, checked }) =>
          checked === undefined ? (
            <Menu.Item
              key={name}
              onClick={onChoose}
              {...(destructive && { color: 'red' })}
              {...(Icon && { leftSection: <Icon size={15} aria-hidden /> })}
            >
              {name}
            </Menu.Item>
          ) : (
            <Menu.CheckboxItem key={name} checked={checked} onChange={onChoose} closeMenuOnClick={false}>
              {name}
            </Menu.CheckboxItem>
          ),
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
