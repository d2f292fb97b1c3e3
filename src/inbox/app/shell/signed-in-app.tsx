import { Suspense } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { useAuth } from 'supabase-protocol-clients/react';
import { Spinner } from '../../ui/spinner.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { InboxFrame } from './inbox-frame.tsx';
import { NotFoundScreen } from './not-found-screen.tsx';
import { onDemand } from '../../ui/state/loader.ts';
import { PartBoundary } from '../../ui/page/part-boundary.tsx';
import { paths } from '../../shared/routes.ts';
import * as chunks from '../chunks/signed-in-chunks.ts';
import styles from './shell.module.css';
import { SignedInLayout } from './signed-in-layout.tsx';

const InboxScreen = onDemand(chunks.inbox);
const PreferencesScreen = onDemand(chunks.preferences);
const AccountScreen = onDemand(chunks.account);
const CallbackErrorToast = onDemand(
  async () => (await import('./callback-error-toast.tsx')).CallbackErrorToast,
);

/** The screens that need a session. */
export function SignedInApp() {
  const [path] = useLocation();
  const { callbackError } = useAuth();
  return (
    <InboxFrame>
      {({ bell, rail }) => (
        <SignedInLayout bell={bell} rail={rail}>
          {callbackError && (
            <PartBoundary isOptional>
              <CallbackErrorToast />
            </PartBoundary>
          )}
          <ErrorBoundary isPart resetKey={path}>
            <Suspense
              fallback={
                <div className={styles.pending} role="status">
                  <Spinner />
                </div>
              }
            >
              <Switch>
                <Route path={paths.home} component={InboxScreen} />
                <Route path={paths.root} component={InboxScreen} />
                <Route path={paths.preferences} component={PreferencesScreen} />
                <Route path={paths.account} component={AccountScreen} />
                <Route path={paths.shell}>
                  <Redirect to={paths.home} replace />
                </Route>
                <Route component={NotFoundScreen} />
              </Switch>
            </Suspense>
          </ErrorBoundary>
        </SignedInLayout>
      )}
    </InboxFrame>
  );
}
