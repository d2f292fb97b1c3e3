import { useLayoutEffect, useRef, useState } from 'react';
import { useClients } from '../../shared/clients/clients-context.ts';
import { Button } from '../../ui/button.tsx';
import { createInvitationsApi } from './invitations-api.ts';
import layout from '../../ui/layout.module.css';
import { joinTexts, type JoinTexts } from './join-texts.ts';

/** The outcome of an invitation. `another-account`: it is for another address. */
type Outcome = 'accepted' | 'declined' | 'expired' | 'revoked' | 'unknown' | 'another-account';

const titles = {
  accepted: 'acceptedTitle',
  declined: 'declinedTitle',
  expired: 'expiredTitle',
  revoked: 'revokedTitle',
  unknown: 'unknownTitle',
  'another-account': 'otherTitle',
} as const satisfies Record<Outcome, keyof JoinTexts>;

export interface InvitationAnswerProps {
  readonly token: string;
  /** What the invitation is about, for the names of the buttons. */
  readonly title: string;
  /** The answer that was given before; null: none. */
  readonly answer: 'accepted' | 'declined' | null;
  /** Called when an answer was recorded. */
  readonly onAnswer: () => void;
}

/** Accepts or declines an invitation in place, then shows the outcome. */
export function InvitationAnswer({ token, title, answer, onAnswer }: InvitationAnswerProps) {
  const texts = joinTexts.use();
  const { loadRest, platform } = useClients();
  const [pending, setPending] = useState<'accept' | 'decline' | null>(null);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [hasFailed, setHasFailed] = useState(false);
  const outcomeText = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    // The focused button is removed with the answer.
    if (outcome !== null && document.activeElement === document.body) outcomeText.current?.focus();
  }, [outcome]);
  const give = async (given: 'accept' | 'decline') => {
    setPending(given);
    setHasFailed(false);
    try {
      const rest = await loadRest();
      const { status } = await createInvitationsApi(rest).answer(token, given);
      setOutcome(status === 'accepted' ? 'accepted' : 'declined');
      onAnswer();
    } catch (problem) {
      platform.report(problem);
      const known = outcomeOf(problem);
      setOutcome(known);
      setHasFailed(known === null);
    }
    setPending(null);
  };
  const shown = outcome ?? answer;
  const button = (given: 'accept' | 'decline', word: string) => (
    <Button
      look={given === 'accept' ? 'primary' : 'secondary'}
      pending={pending === given}
      inactive={pending !== null}
      aria-label={`${word}: ${title}`}
      onClick={() => void give(given)}
    >
      {word}
    </Button>
  );
  return (
    <div className={layout.answers}>
      {shown === null && (
        <>
          {button('accept', texts.accept)}
          {button('decline', texts.decline)}
        </>
      )}
      <span ref={outcomeText} role="status" className={layout.hint} tabIndex={-1}>
        {shown === null ? hasFailed && texts.answerFailed : texts[titles[shown]]}
      </span>
    </div>
  );
}

/** The outcome that an error of the database names; null for any other failure. */
function outcomeOf(problem: unknown): Outcome | null {
  const { message, details } = problem as { readonly message?: unknown; readonly details?: unknown };
  switch (message) {
    case 'invitation_expired':
      return 'expired';
    case 'invitation_not_found':
      return 'unknown';
    case 'invitation_for_another_account':
      return 'another-account';
    case 'invitation_already_answered':
      return (['accepted', 'declined'] as const).find((word) => String(details).includes(word)) ?? 'revoked';
    default:
      return null;
  }
}
