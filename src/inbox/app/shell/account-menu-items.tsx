import { Link } from 'wouter';
import { Button, buttonClass } from '../../ui/button.tsx';
import { classNames } from '../../ui/state/class-names.ts';
import { InviteIcon, PersonIcon } from '../../ui/icons.tsx';
import { SignOutIcon } from '../../ui/menu-icons.tsx';
import { toasts } from '../../ui/overlay/toasts.ts';
import { useClients } from '../../shared/clients/clients-context.ts';
import { signOutHere } from '../../shared/clients/sign-out.ts';
import { appTexts } from '../app-texts.ts';
import { paths } from '../../shared/routes.ts';
import styles from './shell.module.css';

export interface AccountMenuItemsProps {
  readonly close: () => void;
}

/** The links to the account and the invitations, and sign-out. */
export function AccountMenuItems({ close }: AccountMenuItemsProps) {
  const texts = appTexts.use();
  const { auth } = useClients();
  const signOut = () => {
    close();
    // Actions that wait for an undo are committed while the session still exists.
    toasts.clear();
    void signOutHere(auth, 'local');
  };
  return (
    <>
      <Link
        className={classNames(buttonClass('quiet'), styles.menuItem)}
        href={paths.account}
        onClick={close}
      >
        <PersonIcon />
        <span>{texts.account}</span>
      </Link>
      <Link className={classNames(buttonClass('quiet'), styles.menuItem)} href={paths.join} onClick={close}>
        <InviteIcon />
        <span>{texts.invitations}</span>
      </Link>
      <Button look="quiet" className={styles.menuItem} onClick={signOut}>
        <SignOutIcon />
        <span>{texts.signOut}</span>
      </Button>
    </>
  );
}
