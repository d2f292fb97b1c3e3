import { useState, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { useUser } from 'supabase-protocol-clients/react';
import { useClients } from '../../shared/clients/clients-context.ts';
import { signOutNotices } from '../../shared/clients/sign-out.ts';
import { links, paths } from '../../shared/routes.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { SlowNote } from '../../ui/form/slow-note.tsx';
import { FormMessages } from '../../ui/page/message.tsx';
import { PageHeading } from '../../ui/page/page-heading.tsx';
import { Skeleton } from '../../ui/spinner.tsx';
import { useLanguage } from '../../ui/texts.ts';
import type { Invitation } from './invitation.ts';
import type { InvitationAnswer } from './invitations-api.ts';
import layout from '../../ui/layout.module.css';
import { joinTexts, type JoinTexts } from './join-texts.ts';
import { useInvitationPreview } from './use-invitation-preview.ts';
import { useInvitation } from './use-invitation.ts';

/** One invitation. Opening it changes nothing; a button answers it. */
export function InvitationView({ token }: { readonly token: string }) {
  const texts = joinTexts.use();
  const { state, reload, answer } = useInvitation(token);
  switch (state.type) {
    case 'loading':
      return <LoadingState />;
    case 'signed-out':
      return <SignedOut token={token} />;
    case 'failed':
      return (
        <State title={texts.failedTitle} text={texts.failedText}>
          <Button look="primary" wide onClick={reload}>
            {texts.retry}
          </Button>
        </State>
      );
    case 'unknown':
      return <UnknownState />;
    case 'other-account':
      return <OtherAccount token={token} invitation={state.invitation} />;
    case 'open':
      return <Open invitation={state.invitation} answer={answer} onStale={reload} />;
    case 'own':
      return <Own invitation={state.invitation} answer={answer} onStale={reload} />;
    case 'accepted':
    case 'declined':
    case 'expired':
    case 'revoked': {
      const title = texts[`${state.type}Title`];
      const text = texts[`${state.type}Text`](state.invitation.inviterName);
      return <Ending key={state.type} title={title} text={text} />;
    }
  }
}

interface StateProps {
  readonly title: string;
  readonly text?: string;
  readonly children?: ReactNode;
}

function State({ title, text, children }: StateProps) {
  return (
    <div className={layout.stack}>
      <PageHeading key={title}>{title}</PageHeading>
      {text && <p>{text}</p>}
      {children}
    </div>
  );
}

function LoadingState() {
  const texts = joinTexts.use();
  return (
    <State title={texts.title}>
      <p role="status">{texts.loading}</p>
      <Skeleton height="44px" />
      <SlowNote pending />
    </State>
  );
}

function UnknownState() {
  const texts = joinTexts.use();
  return (
    <State title={texts.unknownTitle} text={texts.unknownText}>
      <Link className={buttonClass('secondary', true)} href={paths.join}>
        {texts.enterCode}
      </Link>
      <Link className={buttonClass('quiet', true)} href={paths.home}>
        {texts.stay}
      </Link>
    </State>
  );
}

function invitedTitle(texts: JoinTexts, inviterName: string, entityName: string | null): string {
  return entityName === null ? texts.invited(inviterName) : texts.invitedTo(inviterName, entityName);
}

/** A final state, with the link to the inbox. */
function Ending(props: StateProps) {
  const texts = joinTexts.use();
  return (
    <State {...props}>
      <Link className={buttonClass('primary', true)} href={paths.home}>
        {texts.stay}
      </Link>
    </State>
  );
}

/** The inviter and the entity, if the token reveals them, and the ways to sign in. */
function SignedOut({ token }: { readonly token: string }) {
  const texts = joinTexts.use();
  const language = useLanguage();
  const preview = useInvitationPreview(token);
  const next = links.join(token);
  if (preview === 'loading') return <LoadingState />;
  if (preview === 'unknown') return <UnknownState />;
  const { inviterName = null, entityName = null, expiresAtMs = 0 } = preview === 'failed' ? {} : preview;
  const day = new Intl.DateTimeFormat(language, { dateStyle: 'long' }).format(expiresAtMs);
  const title = inviterName === null ? texts.signedOutTitle : invitedTitle(texts, inviterName, entityName);
  return (
    <State title={title} text={texts.signedOutText}>
      {inviterName !== null && <p className={layout.hint}>{texts.expires(day)}</p>}
      <Link className={buttonClass('primary', true)} href={links.login({ next })}>
        {texts.signIn}
      </Link>
      <Link className={buttonClass('secondary', true)} href={links.signup({ next })}>
        {texts.signUp}
      </Link>
    </State>
  );
}

function OtherAccount({ token, invitation }: { readonly token: string; readonly invitation: Invitation }) {
  const texts = joinTexts.use();
  const { auth } = useClients();
  const user = useUser();
  const [, navigate] = useLocation();
  const [isLeaving, setIsLeaving] = useState(false);
  const switchAccount = async () => {
    setIsLeaving(true);
    const { revoked } = await auth.signOut({ scope: 'local' });
    navigate(links.login({ next: links.join(token) }), { state: revoked ? null : signOutNotices.local });
  };
  return (
    <State
      title={texts.otherTitle}
      text={texts.otherText(invitation.inviteeEmail, user?.email ?? user?.phone ?? '')}
    >
      <Button look="primary" wide pending={isLeaving} onClick={() => void switchAccount()}>
        {texts.switchAccount}
      </Button>
      <Link className={buttonClass('secondary', true)} href={paths.home}>
        {texts.stay}
      </Link>
    </State>
  );
}

interface OpenProps {
  readonly invitation: Invitation;
  readonly answer: (answer: InvitationAnswer) => Promise<void>;
  readonly onStale: () => void;
}

function useAnswer({ answer, onStale }: Omit<OpenProps, 'invitation'>) {
  const { platform } = useClients();
  const [pending, setPending] = useState<InvitationAnswer | null>(null);
  const [hasFailed, setHasFailed] = useState(false);
  const give = async (given: InvitationAnswer) => {
    setPending(given);
    setHasFailed(false);
    try {
      await answer(given);
    } catch (problem) {
      platform.report(problem);
      // The database names the reason: read the invitation again and show its state.
      if (problem instanceof Error && problem.message.startsWith('invitation_')) onStale();
      else setHasFailed(true);
    }
    setPending(null);
  };
  return { pending, hasFailed, give };
}

/** The inviter's view, who may withdraw it until it is answered. */
function Own({ invitation, ...actions }: OpenProps) {
  const texts = joinTexts.use();
  const { pending, hasFailed, give } = useAnswer(actions);
  const { status, inviteeEmail } = invitation;
  const title = status === 'revoked' ? texts.withdrawnTitle : texts.ownTitle;
  return (
    <State title={title} text={texts.ownText(inviteeEmail)}>
      <FormMessages error={hasFailed && texts.answerFailed} />
      {status === 'pending' && (
        <Button wide pending={pending !== null} onClick={() => void give('withdraw')}>
          {texts.withdraw}
        </Button>
      )}
      <Link className={buttonClass('primary', true)} href={paths.home}>
        {texts.stay}
      </Link>
    </State>
  );
}

function Open({ invitation, ...actions }: OpenProps) {
  const texts = joinTexts.use();
  const language = useLanguage();
  const { pending, hasFailed, give } = useAnswer(actions);
  const { inviterName, entityName, inviteeEmail, expiresAtMs } = invitation;
  const until = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short' }).format(
    expiresAtMs,
  );
  return (
    <State title={invitedTitle(texts, inviterName, entityName)} text={texts.openText(inviteeEmail)}>
      <p className={layout.hint}>{texts.expires(until)}</p>
      <FormMessages error={hasFailed && texts.answerFailed} />
      <Button look="primary" wide pending={pending === 'accept'} onClick={() => void give('accept')}>
        {texts.accept}
      </Button>
      <Button wide pending={pending === 'decline'} onClick={() => void give('decline')}>
        {texts.decline}
      </Button>
    </State>
  );
}
