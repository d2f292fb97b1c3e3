import { useEffect, useSyncExternalStore, type ComponentType, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { useInboxSnapshot, useListAge } from '../../features/notifications/data/inbox-context.ts';
import { CountedIcon } from '../../ui/badge.tsx';
import { InboxIcon, PersonIcon, SettingsIcon } from '../../ui/icons.tsx';
import { Logo } from '../../ui/page/narrow-page.tsx';
import { preloadDelayMs } from '../../ui/state/loader.ts';
import { useOnline } from '../../ui/state/online.ts';
import { ToastRegion } from '../../ui/overlay/toast-region.tsx';
import { toasts } from '../../ui/state/toasts.ts';
import { AccountMenu } from './account-menu.tsx';
import { PendingChanges, preloadPendingList } from './pending-changes.tsx';
import { hideBarsOnScroll } from './scroll-bars.ts';
import { signOutQuestion } from '../../shared/clients/sign-out-question.ts';
import { SignOutDialog } from '../../features/outbox/sign-out-dialog.tsx';
import { useUserData } from '../data/user-data-context.ts';
import { appTexts } from '../app-texts.ts';
import { paths } from '../../shared/routes.ts';
import layout from '../../ui/layout.module.css';
import styles from './shell.module.css';

export interface SignedInLayoutProps {
  /** The bell in the top bar. */
  readonly bell: ReactNode;
  /** The views of the inbox in the rail. */
  readonly rail: ReactNode;
  readonly children: ReactNode;
}

/** Top bar, rail and content; on phones a bar at the foot instead of the rail. */
export function SignedInLayout({ bell, rail, children }: SignedInLayoutProps) {
  const texts = appTexts.use();
  const online = useOnline();
  const { outbox } = useUserData();
  const pendingCount = useSyncExternalStore(outbox.subscribe, outbox.getSnapshot).length;
  const question = useSyncExternalStore(signOutQuestion.subscribe, signOutQuestion.getSnapshot);
  useEffect(hideBarsOnScroll, []);
  useEffect(() => {
    const timer = setTimeout(preloadPendingList, preloadDelayMs);
    return () => clearTimeout(timer);
  }, []);
  // Toasts of this user must not show to the next one.
  useEffect(() => () => toasts.clear(), []);
  return (
    <>
      <a className={styles.skip} href="#content">
        {texts.skipToContent}
      </a>
      <header className={styles.bar}>
        <Link className={styles.home} href={paths.home}>
          <Logo />
        </Link>
        {bell}
        <AccountMenu />
      </header>
      <div role="status" className={styles.note}>
        {pendingCount > 0 ? <PendingChanges count={pendingCount} /> : !online && <OfflineNote />}
      </div>
      <div className={styles.body}>
        <main id="content" className={styles.content} tabIndex={-1}>
          {children}
        </main>
        {/* The rail is after the content, so that Tab reaches the list first. */}
        <aside className={styles.rail} aria-label={texts.views}>
          {rail}
          <nav className={styles.railFoot} aria-label={texts.navigation}>
            <NavigationLink className={layout.railLink} href={paths.preferences} icon={SettingsIcon}>
              {texts.preferences}
            </NavigationLink>
            <NavigationLink className={layout.railLink} href={paths.account} icon={PersonIcon}>
              {texts.account}
            </NavigationLink>
          </nav>
        </aside>
      </div>
      <nav className={styles.tabBar} aria-label={texts.navigation}>
        <InboxTab />
        <NavigationLink className={styles.tabLink} href={paths.preferences} icon={SettingsIcon}>
          {texts.preferences}
        </NavigationLink>
        <NavigationLink className={styles.tabLink} href={paths.account} icon={PersonIcon}>
          {texts.account}
        </NavigationLink>
      </nav>
      {question && <SignOutDialog question={question} />}
      <ToastRegion label={texts.messages} dismissLabel={texts.dismiss} />
    </>
  );
}

/** Says that the device is offline, with the age of the shown list. */
function OfflineNote() {
  const texts = appTexts.use();
  const [path] = useLocation();
  const age = useListAge();
  const isInbox = path === paths.home || path === paths.root;
  return <span>{isInbox && age !== null ? texts.offlineList(age) : texts.offline}</span>;
}

function InboxTab() {
  const { unread } = useInboxSnapshot().counts;
  const texts = appTexts.use();
  return (
    <NavigationLink
      className={styles.tabLink}
      href={paths.home}
      icon={InboxIcon}
      count={unread}
      name={texts.inboxTab(unread)}
    >
      {texts.inbox}
    </NavigationLink>
  );
}

interface NavigationLinkProps {
  readonly href: string;
  readonly icon: ComponentType;
  readonly className: string | undefined;
  readonly count?: number;
  /** The accessible name where the text is not enough. */
  readonly name?: string;
  readonly children: string;
}

function NavigationLink({ href, icon: Icon, className, count = 0, name, children }: NavigationLinkProps) {
  const [path] = useLocation();
  const current = path === href || (href === paths.home && path === paths.root);
  return (
    <Link href={href} className={className} aria-current={current ? 'page' : undefined} aria-label={name}>
      <CountedIcon count={count}>
        <Icon />
      </CountedIcon>
      <span>{children}</span>
    </Link>
  );
}
