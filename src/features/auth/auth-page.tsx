import { useEffect, type ReactNode } from 'react';
import { useHistoryState } from 'wouter/use-browser-location';
import { useAuthState, useClients } from '../../app/clients-context.ts';
import { authErrorTexts, useAuthErrorText } from '../../app/auth-problem.ts';
import { paths } from '../../app/routes.ts';
import { Message } from '../../ui/message.tsx';
import { NarrowPage } from '../../ui/narrow-page.tsx';
import { useOnline } from '../../ui/online.ts';
import { PageHeading } from '../../ui/page-heading.tsx';
import { authTexts } from './auth-texts.ts';
import styles from './auth-page.module.css';

export interface AuthPageProps {
  readonly title: string;
  readonly intro?: string;
  /** Links to the other screens. */
  readonly foot?: ReactNode;
  /** What may come later than the rest: at the end, so that nothing moves away from a pointer. */
  readonly tail?: ReactNode;
  readonly children: ReactNode;
}

/** The frame of every auth screen. Give it a `key` per state, so that the heading takes the focus. */
export function AuthPage({ title, intro, foot, tail, children }: AuthPageProps) {
  const texts = authTexts.use();
  const online = useOnline();
  const { storageProblem } = useAuthState();
  const storageText = useAuthErrorText(storageProblem?.code);
  const notice = readNotice(useHistoryState<unknown>());
  const { auth } = useClients();
  // Not for the first screen, but for the first attempt and its failure.
  useEffect(() => {
    void auth.preload();
    authErrorTexts.load().catch(() => undefined);
  }, [auth]);
  return (
    <NarrowPage>
      <PageHeading>{title}</PageHeading>
      {intro && <p className={styles.intro}>{intro}</p>}
      <div role="alert">{notice && <Message tone="warning">{notice}</Message>}</div>
      <div role="status">
        {!online && <Message tone="warning">{texts.offline}</Message>}
        {storageText && <Message tone="warning">{storageText}</Message>}
      </div>
      {children}
      <div className={styles.foot}>
        {foot}
        <p>
          {/* A page of its own: it must work where this application does not. */}
          <a className={styles.inline} href={paths.clearCookies}>
            {texts.clearCookies}
          </a>
        </p>
      </div>
      {tail}
    </NarrowPage>
  );
}

/** What the page that led here had left to say. It goes with this entry of the history. */
function readNotice(state: unknown): string | null {
  const isNotice = typeof state === 'object' && state !== null && 'notice' in state;
  return isNotice && typeof state.notice === 'string' ? state.notice : null;
}
