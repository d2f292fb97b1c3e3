import { useUser } from 'supabase-protocol-clients/react';
import { Link } from 'wouter';
import { useClients } from '../../shared/clients/clients-context.ts';
import { signOutHere } from '../../shared/clients/sign-out.ts';
import { paths } from '../../shared/routes.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { InviteIcon, PersonIcon } from '../../ui/icons.tsx';
import { SignOutIcon } from '../../ui/overlay/menu-icons.tsx';
import { Popover } from '../../ui/overlay/popover.tsx';
import { toasts } from '../../ui/state/toasts.ts';
import { classNames } from '../../ui/state/class-names.ts';
import { appTexts } from '../app-texts.ts';
import styles from './shell.module.css';

/** The signed-in user's menu: the account, the invitations, and sign-out. */
export function AccountMenu() {
  const texts = appTexts.use();
  const { auth } = useClients();
  const user = useUser();
  const account = user?.email ?? user?.phone ?? texts.account;
  const given = user?.user_metadata?.['name'];
  const name = typeof given === 'string' ? given.trim() : '';
  const signOut = (close: () => void) => {
    close();
    // Actions that wait for an undo are committed while the session still exists.
    toasts.clear();
    void signOutHere(auth, 'local');
  };
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
          <Link
            className={classNames(buttonClass('quiet'), styles.menuItem)}
            href={paths.account}
            onClick={close}
          >
            <PersonIcon />
            <span>{texts.account}</span>
          </Link>
          <Link
            className={classNames(buttonClass('quiet'), styles.menuItem)}
            href={paths.join}
            onClick={close}
          >
            <InviteIcon />
            <span>{texts.invitations}</span>
          </Link>
          <Button look="quiet" className={styles.menuItem} onClick={() => signOut(close)}>
            <SignOutIcon />
            <span>{texts.signOut}</span>
          </Button>
        </>
      )}
    </Popover>
  );
}
