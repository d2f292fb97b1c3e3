import { Suspense } from 'react';
import { Avatar } from '../../ui/avatar.tsx';
import { Button } from '../../ui/button.tsx';
import { Popover } from '../../ui/overlay/popover.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { lazyPart } from '../../ui/state/lazy-part.ts';
import { useUser } from 'supabase-protocol-clients/react';
import { ErrorBoundary } from './error-boundary.tsx';
import { appTexts } from '../app-texts.ts';
import styles from './shell.module.css';

const loadItems = async () => (await import('./account-menu-items.tsx')).AccountMenuItems;
const AccountMenuItems = lazyPart(loadItems);
/** Loads the items before the click. A failure is shown when the menu opens. */
const preloadItems = () => void loadItems().catch(() => undefined);

/** The signed-in user's menu. Its items are loaded on hover or focus. */
export function AccountMenu() {
  const texts = appTexts.use();
  const user = useUser();
  const account = user?.email ?? user?.phone ?? texts.account;
  const name = user?.user_metadata?.['name'];
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
          onPointerEnter={preloadItems}
          onFocus={preloadItems}
        >
          <Avatar name={typeof name === 'string' && name.trim() !== '' ? name : account} />
        </Button>
      )}
    >
      {(close) => (
        <>
          <p className={styles.who}>{account}</p>
          <ErrorBoundary fallback={null}>
            <Suspense fallback={<Spinner />}>
              <AccountMenuItems close={close} />
            </Suspense>
          </ErrorBoundary>
        </>
      )}
    </Popover>
  );
}
