import { Suspense, useEffect, useState } from 'react';
import { Redirect, Route, Switch, useLocation, useSearch } from 'wouter';
import { Announcer } from '../ui/page/announcer.tsx';
import { ScreenMessage } from '../ui/spinner.tsx';
import { ClientsContext, useAuthState, useClients, type Clients } from '../shared/clients/clients-context.ts';
import { ErrorBoundary } from './shell/error-boundary.tsx';
import { forgetAtSignOut } from './data/forget-at-sign-out.ts';
import { decideGate } from './gate.ts';
import { lazyScreen } from './chunks/lazy-screen.ts';
import { needsSecondFactor } from '../shared/second-factor.ts';
import { paths, type EntranceNotice } from '../shared/routes.ts';
import * as chunks from './chunks/screen-chunks.ts';

const LoginScreen = lazyScreen(chunks.login);
const SignupScreen = lazyScreen(chunks.signup);
const ResetPasswordScreen = lazyScreen(chunks.resetPassword);
const JoinScreen = lazyScreen(chunks.join);
const SignedInApp = lazyScreen(chunks.signedIn);

/** The whole application, given its clients. */
export function App({ clients }: { readonly clients: Clients }) {
  const [path] = useLocation();
  useEffect(() => forgetAtSignOut(clients), [clients]);
  return (
    <ClientsContext value={clients}>
      <Announcer />
      <ErrorBoundary resetKey={path}>
        <Suspense fallback={<Loading />}>
          <SessionGate path={path} />
        </Suspense>
      </ErrorBoundary>
    </ClientsContext>
  );
}

function Loading() {
  return <ScreenMessage>Loading...</ScreenMessage>;
}

function SessionGate({ path }: { readonly path: string }) {
  const query = useSearch();
  const { status, session } = useAuthState();
  const { auth } = useClients();
  const [leaving, setLeaving] = useState<'on-purpose' | 'refused' | null>(null);
  useEffect(
    () =>
      auth.onEvent(({ name, reason }) => {
        if (name === 'SIGNED_OUT') setLeaving(reason === 'refused' ? 'refused' : 'on-purpose');
      }),
    [auth],
  );
  const gate = decideGate({
    status,
    needsSecondFactor: session !== null && needsSecondFactor(session),
    hasLeft: leaving === 'on-purpose',
    path,
    query: query === '' ? '' : `?${query}`,
    hash: location.hash,
    origin: location.origin,
  });
  // It explains one redirect to the entrance; there, as inside, it is of the past.
  if (leaving !== null && (gate.kind === 'private' || gate.kind === 'public')) setLeaving(null);
  switch (gate.kind) {
    case 'loading':
      return <Loading />;
    case 'redirect': {
      const notice: EntranceNotice | null = leaving === 'refused' ? 'session-ended' : null;
      return <Redirect to={gate.to} replace state={notice} />;
    }
    case 'private':
      return <SignedInApp key={session?.user.id} />;
    case 'public':
      return <PublicScreens />;
  }
}

function PublicScreens() {
  return (
    <Switch>
      <Route path={paths.login} component={LoginScreen} />
      <Route path={paths.signup} component={SignupScreen} />
      <Route path={paths.resetPassword} component={ResetPasswordScreen} />
      <Route path={paths.joinToken}>{({ token }) => <JoinScreen token={decodeToken(token)} />}</Route>
      <Route path={paths.clearCookies} component={ClearCookies} />
      <Route>
        <JoinScreen />
      </Route>
    </Switch>
  );
}

/** A link within the application led here; the page itself works without it. */
function ClearCookies() {
  useEffect(() => location.replace(`${paths.clearCookies}.html`), []);
  return <Loading />;
}

/** A link that lost a part of an escape is an unknown invitation, not a broken page. */
function decodeToken(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}
