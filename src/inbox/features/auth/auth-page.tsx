import { useEffect, useState, type ReactNode } from 'react';
import { useHistoryState } from 'wouter/use-browser-location';
import { useAuth } from 'supabase-protocol-clients/react';
import { useClients } from '../../shared/clients/clients-context.ts';
import { useAuthErrorText } from '../../shared/auth-problem/auth-problem.ts';
import { paths, type LoginNotice } from '../../shared/routes.ts';
import { Message } from '../../ui/page/message.tsx';
import { NarrowPage } from '../../ui/page/narrow-page.tsx';
import { PartBoundary } from '../../ui/page/part-boundary.tsx';
import { onDemand } from '../../ui/state/loader.ts';
import { useOnline } from '../../ui/state/online.ts';
import { useMedia } from '../../ui/state/use-media.ts';
import { PageHeading } from '../../ui/page/page-heading.tsx';
import { authTexts } from './auth-texts.ts';
import styles from './auth-page.module.css';

const InboxPicture = onDemand(async () => (await import('./inbox-picture.tsx')).InboxPicture);

export interface AuthPageProps {
  readonly title: string;
  readonly intro?: string;
  /** Links to the other screens. */
  readonly foot?: ReactNode;
  /** The providers, between the form and the links. Its height is reserved while it loads. */
  readonly alternatives?: ReactNode;
  /** Offers to clear the cookies, which may cause the problem. Default: only for problems of the stored session. */
  readonly hasTrouble?: boolean;
  readonly children: ReactNode;
}

/** The frame of every auth screen. Give it a `key` per state, so that the heading takes the focus. */
export function AuthPage(props: AuthPageProps) {
  const { title, intro, foot, alternatives, hasTrouble = false, children } = props;
  const texts = authTexts.use();
  const online = useOnline();
  const isWide = useMedia('(width >= 960px)');
  const { storageProblem } = useAuth();
  const storageText = useAuthErrorText(storageProblem?.code);
  const notice = useHistoryState<LoginNotice | null>();
  const { auth } = useClients();
  const [keepsCookies] = useState(canKeepCookies);
  // Preload what the first attempt needs.
  useEffect(() => {
    void auth.preload();
  }, [auth]);
  const offersClearing = hasTrouble || storageText !== null || typeof notice === 'string';
  return (
    <div className={styles.split}>
      <NarrowPage>
        <PageHeading>{title}</PageHeading>
        {intro && <p>{intro}</p>}
        <div role="alert">
          {notice === 'sign-out-failed' && <Message tone="warning">{texts.signOutFailed}</Message>}
          {notice === 'local-sign-out-failed' && <Message tone="warning">{texts.localSignOutFailed}</Message>}
        </div>
        <div role="status">
          {notice === 'session-ended' && <Message>{texts.sessionEnded}</Message>}
          {notice === 'changes-kept' && <Message>{texts.changesKept}</Message>}
          {notice === 'account-deleted' && <Message tone="success">{texts.accountDeleted}</Message>}
          {notice === 'draft-kept' && <Message>{texts.draftKept}</Message>}
          {!online && <Message tone="warning">{texts.offline}</Message>}
          {storageText && <Message tone="warning">{storageText}</Message>}
          {!storageText && !keepsCookies && <Message tone="warning">{texts.cookiesBlocked}</Message>}
        </div>
        {children}
        {alternatives}
        {(foot !== undefined || offersClearing) && (
          <div className={styles.foot}>
            {foot}
            {offersClearing && (
              <p>
                {/* A full page load: the page works where this application does not. */}
                <a className={styles.inline} href={paths.clearCookies}>
                  {texts.clearCookies}
                </a>
              </p>
            )}
          </div>
        )}
      </NarrowPage>
      {/* Decorative. */}
      <div className={styles.picture} aria-hidden="true">
        {isWide && (
          <PartBoundary isOptional>
            <InboxPicture />
          </PartBoundary>
        )}
      </div>
    </div>
  );
}

/** Whether the browser keeps a cookie that it is given; some blockers drop them without an error. */
function canKeepCookies(): boolean {
  const name = 'cookie-check';
  document.cookie = `${name}=1; path=/; SameSite=Lax`;
  const isKept = document.cookie.includes(`${name}=1`);
  document.cookie = `${name}=; path=/; max-age=0`;
  return isKept;
}
