import { useState } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { attempt } from '../../shared/auth-problem/auth-problem.ts';
import { useClients } from '../../shared/clients/clients-context.ts';
import { isPublicPath, paths, type EntranceNotice } from '../../shared/routes.ts';
import type { SignOutScope } from '../../auth-client/index.ts';
import { Button } from '../../ui/button.tsx';
import { FormMessages } from '../../ui/page/message.tsx';
import { toasts } from '../../ui/overlay/toasts.ts';
import { accountTexts } from './texts/account-texts.ts';
import styles from './account.module.css';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { Section } from './section.tsx';

/** Signs out this device, the others, or all of them. */
export function SessionsSection() {
  const texts = accountTexts.use();
  const { auth, platform } = useClients();
  const [asking, setAsking] = useState(false);
  const [state, setState] = useState<{
    pending?: SignOutScope;
    problem?: string | undefined;
    done?: boolean;
  }>({});
  const signOut = async (scope: SignOutScope) => {
    setState({ pending: scope });
    // Actions that wait for an undo are committed while the session still exists.
    if (scope !== 'others') toasts.clear();
    // Refresh first: with an expired token the server would end no session.
    if (scope === 'global') await auth.getAccessToken().catch(platform.report);
    const failure = await attempt([], () => auth.signOut({ scope }));
    // The local session has ended and the gate has navigated: the next screen shows the failure.
    if (failure && scope === 'global') {
      const { pathname, search } = location;
      navigate(isPublicPath(pathname) ? pathname + search : paths.login, {
        replace: true,
        state: 'sign-out-failed' satisfies EntranceNotice,
      });
    }
    setState({ problem: failure?.message, done: !failure && scope === 'others' });
  };
  return (
    <Section title={texts.sessions} intro={texts.sessionsIntro}>
      <FormMessages error={state.problem} success={state.done && texts.othersSignedOut} />
      <div className={styles.row}>
        <Button pending={state.pending === 'local'} onClick={() => void signOut('local')}>
          {texts.signOutHere}
        </Button>
        <Button pending={state.pending === 'others'} onClick={() => void signOut('others')}>
          {texts.signOutOthers}
        </Button>
        <Button look="danger" onClick={() => setAsking(true)}>
          {texts.signOutEverywhere}
        </Button>
      </div>
      <ConfirmDialog
        open={asking}
        title={texts.everywhereTitle}
        action={texts.signOutEverywhere}
        pending={state.pending === 'global'}
        onConfirm={() => void signOut('global')}
        onClose={() => setAsking(false)}
      >
        <p>{texts.everywhereText}</p>
      </ConfirmDialog>
    </Section>
  );
}
