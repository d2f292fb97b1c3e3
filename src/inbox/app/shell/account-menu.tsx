import { Avatar } from '../../ui/avatar.tsx';
import { Button } from '../../ui/button.tsx';
import { Popover } from '../../ui/overlay/popover.tsx';
import { useUser } from 'supabase-protocol-clients/react';
import { AccountMenuItems } from './account-menu-items.tsx';
import { appTexts } from '../app-texts.ts';
import styles from './shell.module.css';

/** The signed-in user's menu. */
export function AccountMenu() {
  const texts = appTexts.use();
  const user = useUser();
  const account = user?.email ?? user?.phone ?? texts.account;
  const given = user?.user_metadata?.['name'];
  const name = typeof given === 'string' ? given.trim() : '';
  return (
    <Popover
      label={texts.account}
      className={styles.menu}
      // eslint-disable-next-line react/no-unstable-nested-components -- a render function, not a component
      trigger={(trigger) => (
        <Button
          {...trigger}
          look="quiet"
          className={styles.menuButton}
          aria-label={texts.accountMenu(account)}
        >
          <Avatar name={name || account} />
        </Button>
      )}
    >
      {(close) => (
        <>
          <p className={styles.who}>
            {name && <bdi>{name}</bdi>}
            {account}
          </p>
          <AccountMenuItems close={close} />
        </>
      )}
    </Popover>
  );
}
