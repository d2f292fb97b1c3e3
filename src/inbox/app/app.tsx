import { Suspense, useEffect, useState } from 'react';
import { Redirect, Route, Router, Switch, useLocation, type AroundNavHandler } from 'wouter';
import { useLocationProperty } from 'wouter/use-browser-location';
import { Announcer } from '../ui/page/announcer.tsx';
import { ScreenMessage } from '../ui/spinner.tsx';
import { SupabaseProvider, useAuth } from 'supabase-protocol-clients/react';
import { ConfigurationContext, useClients, type Clients } from '../shared/clients/clients-context.ts';
import type { Configuration } from '../shared/clients/env.ts';
import { ErrorBoundary } from './shell/error-boundary.tsx';
import { deleteWhenSignedOut } from './data/delete-persisted-data.ts';
import { decideRoute } from './route-decision.ts';
import { onDemand } from '../ui/state/loader.ts';
import { useLanguage } from '../ui/texts.ts';
import { countUnsent } from '../shared/clients/sign-out-question.ts';
import { unsavedDraft } from '../shared/unsaved-draft.ts';
import { needsSecondFactor } from '../shared/token-claims.ts';
import { paths, type LoginNotice } from '../shared/routes.ts';
import * as chunks from './chunks/screen-chunks.ts';

const LoginScreen = onDemand(chunks.login);
const SignupScreen = onDemand(chunks.signup);
const ResetPasswordScreen = onDemand(chunks.resetPassword);
const JoinScreen = onDemand(chunks.join);
const SignedInApp = onDemand(chunks.signedIn);
const MailLinkScreen = onDemand(chunks.mailLink);

export interface AppProps {
  readonly clients: Clients;
  readonly configuration: Configuration;
}

export function App({ clients, configuration }: AppProps) {
  const [path] = useLocation();
  useEffect(() => deleteWhenSignedOut(clients), [clients]);
  return (
    <SupabaseProvider clients={clients}>
      <ConfigurationContext value={configuration}>
        <Announcer />
        <ErrorBoundary resetKey={path}>
          <Router aroundNav={replaceSameUrl}>
            <Suspense fallback={<Loading />}>
              <SessionGate path={path} />
            </Suspense>
          </Router>
        </ErrorBoundary>
      </ConfigurationContext>
    </SupabaseProvider>
  );
}

/** Replaces the history entry when a link leads to the current URL, as browsers do. */
const replaceSameUrl: AroundNavHandler = (navigate, to, options) => {
  const isSame = new URL(to, location.href).href === location.href;
  navigate(to, isSame ? { state: history.state as unknown, ...options, replace: true } : options);
};

function Loading() {
  return <ScreenMessage>{useLanguage() === 'de' ? 'Wird geladen...' : 'Loading...'}</ScreenMessage>;
}

/** The notices of /login after the session has ended. */
const notices = {
  'on-purpose': null,
  refused: 'session-ended',
  'while-pending': 'changes-kept',
  'while-saving': 'draft-kept',
} as const satisfies Record<string, LoginNotice | null>;

function SessionGate({ path }: { readonly path: string }) {
  // Includes the fragment: a mail link may arrive as a change of the fragment alone.
  const { search: query, hash, origin } = new URL(useLocationProperty(() => location.href));
  const { status, session } = useAuth();
  const { auth } = useClients();
  const [leaving, setLeaving] = useState<keyof typeof notices | null>(null);
  useEffect(
    () =>
      auth.onEvent(({ name, reason }) => {
        if (name !== 'SIGNED_OUT') return;
        const isSaving = reason !== 'call' && unsavedDraft.exists();
        if (isSaving) setLeaving('while-saving');
        else if (reason !== 'refused') setLeaving('on-purpose');
        else setLeaving(countUnsent() > 0 ? 'while-pending' : 'refused');
      }),
    [auth],
  );
  const decision = decideRoute({
    status,
    needsSecondFactor: session !== null && needsSecondFactor(session),
    hasLeft: leaving === 'on-purpose',
    path,
    query,
    hash,
    origin,
  });
  // The notice explains one redirect to /login: clear it once a page is shown.
  if (leaving !== null && decision.type !== 'loading' && decision.type !== 'redirect') setLeaving(null);
  switch (decision.type) {
    case 'loading':
      return <Loading />;
    case 'redirect': {
      const notice = leaving === null ? null : notices[leaving];
      return <Redirect to={decision.to} replace state={notice} />;
    }
    case 'mail-link':
      return <MailLinkScreen key={decision.link.tokenHash} link={decision.link} />;
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

/** In-app links to the static page need a full page load. */
function ClearCookies() {
  useEffect(() => location.replace(`${paths.clearCookies}.html`), []);
  return <Loading />;
}

/** A token with a malformed escape, or with U+0000, which the database refuses, is unknown like any other. */
function decodeToken(token: string): string {
  try {
    return decodeURIComponent(token).replaceAll('\0', '\uFFFD');
  } catch {
    return token;
  }
}
