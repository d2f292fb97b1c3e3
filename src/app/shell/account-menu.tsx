import { Link } from 'wouter';
import { Avatar } from '../../ui/avatar.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { classNames } from '../../ui/state/class-names.ts';
import { PersonIcon, SignOutIcon } from '../../ui/icons.tsx';
import { Popover } from '../../ui/overlay/popover.tsx';
import { toasts } from '../../ui/overlay/toasts.ts';
import { useClients, useUser } from '../../shared/clients/clients-context.ts';
import { signOutHere } from '../../shared/clients/sign-out.ts';
import { appTexts } from '../texts/app-texts.ts';
import { DisplayChoices } from './display-choices.tsx';
import { paths } from '../../shared/routes.ts';
import styles from './shell.module.css';

/** The signed-in user, the link to the account, theme and language, and sign-out. */
export function AccountMenu() {
  const texts = appTexts.use();
  const { auth } = useClients();
  const user = useUser();
  const name = user?.email ?? user?.phone ?? texts.account;
  const signOut = () => {
    // Actions that wait for an undo are committed while the session still exists.
    toasts.clear();
    void signOutHere(auth, 'local');
  };
  const item = classNames(buttonClass('quiet'), styles.menuItem);
  return (
    <Popover
      label={texts.account}
      className={styles.menu}
      // eslint-disable-next-line react/no-unstable-nested-components -- a render function, not a component
      trigger={(trigger) => (
        <Button {...trigger} look="quiet" className={styles.menuButton} aria-label={texts.accountMenu(name)}>
          <Avatar name={name} />
        </Button>
      )}
    >
      {(close) => (
        <>
          <p className={styles.who}>{name}</p>
          <Link className={item} href={paths.account} onClick={close}>
            <PersonIcon />
            <span>{texts.account}</span>
          </Link>
          <div className={styles.choices}>
            <DisplayChoices />
          </div>
          <Button look="quiet" className={styles.menuItem} onClick={signOut}>
            <SignOutIcon />
            <span>{texts.signOut}</span>
          </Button>
        </>
      )}
    </Popover>
  );
}
