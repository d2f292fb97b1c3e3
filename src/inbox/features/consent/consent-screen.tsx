import { useEffect, useState, type ReactNode } from 'react';
import { Link, useSearch } from 'wouter';
import { AuthError } from 'supabase-protocol-clients/auth-client';
import { createOAuthServer, type Authorization } from 'supabase-protocol-clients/auth-client/oauth-server';
import { useClients } from '../../shared/clients/clients-context.ts';
import { paths } from '../../shared/routes.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { SlowNote } from '../../ui/form/slow-note.tsx';
import layout from '../../ui/layout.module.css';
import { FormMessages } from '../../ui/page/message.tsx';
import { NarrowPage } from '../../ui/page/narrow-page.tsx';
import { PageHeading } from '../../ui/page/page-heading.tsx';
import { Skeleton } from '../../ui/spinner.tsx';
import { consentTexts, type ConsentTexts } from './consent-texts.ts';

type Request = Extract<Authorization, { redirectUrl: null }>;
type State =
  | { readonly kind: 'loading' | 'gone' | 'failed' }
  | { readonly kind: 'asked'; readonly request: Request }
  | { readonly kind: 'leaving'; readonly redirectUrl: string };

/** `/oauth/consent?authorization_id=…`: another application asks to sign the user in. */
export function ConsentScreen() {
  const authorizationId = new URLSearchParams(useSearch()).get('authorization_id') ?? '';
  return (
    <NarrowPage>
      <meta name="referrer" content="no-referrer" />
      <meta name="robots" content="noindex" />
      <Consent key={authorizationId} authorizationId={authorizationId} />
    </NarrowPage>
  );
}

function Consent({ authorizationId }: { readonly authorizationId: string }) {
  const texts = consentTexts.use();
  const { auth, platform } = useClients();
  const [state, setState] = useState<State>({ kind: 'loading' });
  useEffect(() => {
    if (state.kind !== 'loading') return;
    const ended = new AbortController();
    createOAuthServer(auth)
      .getAuthorization({ authorizationId }, { signal: ended.signal })
      .then(
        (asked) =>
          setState(
            asked.redirectUrl === null
              ? { kind: 'asked', request: asked }
              : { kind: 'leaving', redirectUrl: asked.redirectUrl },
          ),
        (problem: unknown) => {
          if (ended.signal.aborted) return;
          platform.report(problem);
          setState({ kind: isRefusal(problem) ? 'gone' : 'failed' });
        },
      );
    return () => ended.abort();
  }, [auth, platform, authorizationId, state.kind]);
  switch (state.kind) {
    case 'loading':
      return (
        <Page title={texts.loading}>
          <Skeleton height="44px" />
          <SlowNote pending />
        </Page>
      );
    case 'asked':
      return (
        <Asked
          authorizationId={authorizationId}
          request={state.request}
          onAnswer={(redirectUrl) => setState({ kind: 'leaving', redirectUrl })}
          onGone={() => setState({ kind: 'gone' })}
        />
      );
    case 'leaving':
      return <Leaving redirectUrl={state.redirectUrl} />;
    case 'gone':
      return (
        <Page title={texts.goneTitle} text={texts.goneText}>
          <Link className={buttonClass('primary', true)} href={paths.home}>
            {texts.stay}
          </Link>
        </Page>
      );
    case 'failed':
      return (
        <Page title={texts.failedTitle} text={texts.failedText}>
          <Button look="primary" wide onClick={() => setState({ kind: 'loading' })}>
            {texts.retry}
          </Button>
        </Page>
      );
  }
}

interface PageProps {
  readonly title: string;
  readonly text?: string;
  readonly children: ReactNode;
}

function Page({ title, text, children }: PageProps) {
  return (
    <div className={layout.stack}>
      <PageHeading key={title}>{title}</PageHeading>
      {text && <p>{text}</p>}
      {children}
    </div>
  );
}

interface AskedProps {
  readonly authorizationId: string;
  readonly request: Request;
  readonly onAnswer: (redirectUrl: string) => void;
  readonly onGone: () => void;
}

function Asked({ authorizationId, request, onAnswer, onGone }: AskedProps) {
  const texts = consentTexts.use();
  const { auth, platform } = useClients();
  const [pending, setPending] = useState<'approve' | 'deny' | null>(null);
  const [hasFailed, setHasFailed] = useState(false);
  const answer = async (given: 'approve' | 'deny') => {
    setPending(given);
    setHasFailed(false);
    const oauthServer = createOAuthServer(auth);
    try {
      const { redirectUrl } = await oauthServer[`${given}Authorization`]({ authorizationId });
      onAnswer(redirectUrl);
    } catch (problem) {
      platform.report(problem);
      setPending(null);
      if (isRefusal(problem)) onGone();
      else setHasFailed(true);
    }
  };
  const { application, scopes, redirectUri, user } = request;
  return (
    <Page
      title={texts.title(nameOf(application.name ?? '') || texts.nameless)}
      text={texts.as(user.email ?? user.id)}
    >
      <h2>{texts.sees}</h2>
      <ul className={layout.list}>
        {scopes.map((scope) => (
          <li key={scope}>{scopeWords(texts, scope)}</li>
        ))}
      </ul>
      <p className={layout.hint}>{texts.inboxStays}</p>
      <p className={layout.hint}>{texts.leadsTo(hostOf(redirectUri))}</p>
      <FormMessages error={hasFailed && texts.answerFailed} />
      <Button
        look="primary"
        wide
        pending={pending === 'approve'}
        inactive={pending !== null}
        onClick={() => void answer('approve')}
      >
        {texts.allow}
      </Button>
      <Button
        wide
        pending={pending === 'deny'}
        inactive={pending !== null}
        onClick={() => void answer('deny')}
      >
        {texts.deny}
      </Button>
    </Page>
  );
}

/** Leaves at once; the link is for a browser that asks before it opens another application. */
function Leaving({ redirectUrl }: { readonly redirectUrl: string }) {
  const texts = consentTexts.use();
  useEffect(() => location.replace(redirectUrl), [redirectUrl]);
  return (
    <Page title={texts.leaving(hostOf(redirectUrl))}>
      <a className={buttonClass('primary', true)} href={redirectUrl} rel="noreferrer">
        {texts.leave}
      </a>
    </Page>
  );
}

/** For an application on this device its scheme alone: the host of `com.example.app://google.com` is what it chose to show. */
const hostOf = (url: string): string => {
  const { host, protocol } = new URL(url);
  return /^https?:$/.test(protocol) ? host : protocol.slice(0, -1);
};

/** One short line, without characters that are hidden or turn the sentence around: an application chooses its name. */
const nameOf = (name: string): string =>
  Array.from(name.replace(/[\p{Cc}\p{Cf}]/gu, '').trim())
    .slice(0, 60)
    .join('');

const scopeWords = ({ scopes, otherScope }: ConsentTexts, scope: string): string =>
  Object.hasOwn(scopes, scope) ? scopes[scope as keyof typeof scopes] : otherScope(scope);

/** Whether the server answered that there is no such request, or not any more. */
const isRefusal = (problem: unknown): boolean =>
  problem instanceof AuthError &&
  (problem.code === 'invalid-argument' ||
    (problem.status !== null && problem.status >= 400 && problem.status < 500 && problem.status !== 429));
