import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { useAuth } from 'supabase-protocol-clients/react';
import { useClients } from '../../shared/clients/clients-context.ts';
import { links, paths } from '../../shared/routes.ts';
import { createSenderControlsApi } from '../../shared/sender-controls/sender-controls-api.ts';
import { needsSecondFactor } from '../../shared/token-claims.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { SlowNote } from '../../ui/form/slow-note.tsx';
import { FormMessages } from '../../ui/page/message.tsx';
import { Skeleton } from '../../ui/spinner.tsx';
import { useLanguage } from '../../ui/texts.ts';
import type { Invitation } from './invitation.ts';
import { createInvitationsApi, type ListedInvitation } from './invitations-api.ts';
import layout from '../../ui/layout.module.css';
import styles from './join.module.css';
import { joinTexts } from './join-texts.ts';

/** The open invitations of the signed-in user, whether or not they are notified about invitations. */
export function InvitationList() {
  const texts = joinTexts.use();
  const { session } = useAuth();
  const [attempt, setAttempt] = useState(0);
  if (!session || needsSecondFactor(session)) {
    return (
      <Link className={buttonClass('secondary', true)} href={links.login({ next: paths.join })}>
        {texts.listSignIn}
      </Link>
    );
  }
  return (
    <section className={layout.stack}>
      <h2>{texts.listTitle}</h2>
      <OpenInvitations
        key={`${session.user.id} ${attempt}`}
        userId={session.user.id}
        onRetry={() => setAttempt(attempt + 1)}
      />
      <Link className={buttonClass('secondary', true)} href={paths.home}>
        {texts.stay}
      </Link>
    </section>
  );
}

interface OpenInvitationsProps {
  readonly userId: string;
  readonly onRetry: () => void;
}

function OpenInvitations({ userId, onRetry }: OpenInvitationsProps) {
  const texts = joinTexts.use();
  const { loadRest, platform } = useClients();
  const { invitations, setInvitations, hasFailed } = useInvitations();
  const [outcome, setOutcome] = useState<{ readonly error?: string; readonly success?: string }>({});
  const block = async ({ inviterId, inviterName }: Invitation) => {
    setOutcome({});
    try {
      await createSenderControlsApi(await loadRest(), userId).block(inviterId);
      setInvitations((listed) => listed?.filter(({ invitation }) => invitation.inviterId !== inviterId));
      setOutcome({ success: texts.blocked(inviterName) });
    } catch (problem) {
      platform.report(problem);
      setOutcome({ error: texts.blockFailed });
    }
  };
  if (hasFailed)
    return (
      <FormMessages
        error={
          <>
            {texts.listFailed}{' '}
            <Button look="link" onClick={onRetry}>
              {texts.retry}
            </Button>
          </>
        }
      />
    );
  if (!invitations)
    return (
      <>
        <Skeleton height="20px" />
        <SlowNote pending />
      </>
    );
  return (
    <>
      <FormMessages {...outcome} />
      {invitations.length === 0 ? (
        <p className={layout.hint}>{texts.listEmpty}</p>
      ) : (
        <ul className={layout.list}>
          {invitations.map(({ token, invitation }) => (
            <InvitationRow key={token} {...{ token, invitation }} onBlock={() => void block(invitation)} />
          ))}
        </ul>
      )}
    </>
  );
}

function useInvitations() {
  const { loadRest, platform } = useClients();
  const [invitations, setInvitations] = useState<readonly ListedInvitation[]>();
  const [hasFailed, setHasFailed] = useState(false);
  useEffect(() => {
    const controller = new AbortController();
    loadRest()
      .then((rest) => createInvitationsApi(rest).list(controller.signal))
      .then(setInvitations, (problem: unknown) => {
        if (controller.signal.aborted) return;
        platform.report(problem);
        setHasFailed(true);
      });
    return () => controller.abort();
  }, [loadRest, platform]);
  return { invitations, setInvitations, hasFailed };
}

function InvitationRow({ token, invitation, onBlock }: ListedInvitation & { readonly onBlock: () => void }) {
  const texts = joinTexts.use();
  const day = new Intl.DateTimeFormat(useLanguage(), { dateStyle: 'long' });
  const { inviterName, entityName, expiresAtMs } = invitation;
  return (
    <li>
      <Link className={styles.item} href={links.join(token)}>
        {entityName ? texts.invitedTo(inviterName, entityName) : texts.invited(inviterName)}
      </Link>
      <span className={layout.hint}>{texts.expires(day.format(expiresAtMs))}</span>
      <Button look="link" onClick={onBlock}>
        {texts.block(inviterName)}
      </Button>
    </li>
  );
}
