import { useLayoutEffect, useRef, useState } from 'react';
import type { RestClient } from 'supabase-protocol-clients/rest-client';
import { Link } from 'wouter';
import { useClients } from '../../../shared/clients/clients-context.ts';
import { Button, buttonClass } from '../../../ui/button.tsx';
import layout from '../../../ui/layout.module.css';
import { inboxDialogTexts } from '../texts/inbox-dialog-texts.ts';
import type { MessageAction } from '../texts/notification-words.ts';

export interface ActionButtonsProps {
  readonly notificationId: string;
  readonly actions: readonly MessageAction[];
  /** The title of the notification, for the names of the buttons. */
  readonly title: string;
  /** Called when a path was followed or a callback has succeeded. */
  readonly onDone: () => void;
}

/** The buttons that the sender of a message defined: they follow a path, or call a function of the database and show its outcome. */
export function ActionButtons({ notificationId, actions, title, onDone }: ActionButtonsProps) {
  const texts = inboxDialogTexts.use().actions;
  const { loadRest, platform } = useClients();
  const [pending, setPending] = useState<MessageAction | null>(null);
  const [outcome, setOutcome] = useState<{ readonly text: string; readonly isDone: boolean } | null>(null);
  const outcomeText = useRef<HTMLSpanElement>(null);
  const isDone = outcome?.isDone ?? false;
  useLayoutEffect(() => {
    // The focused button is removed with the success.
    if (isDone && document.activeElement === document.body) outcomeText.current?.focus();
  }, [isDone]);
  const call = async (action: MessageAction, callback: string) => {
    setPending(action);
    setOutcome(null);
    try {
      // The team's own functions are in no type of this application.
      const rest = (await loadRest()) as unknown as RestClient;
      await rest.rpc(callback, { notification_id: notificationId }).execute();
      setOutcome({ text: texts.done(action.label), isDone: true });
      onDone();
    } catch (problem) {
      platform.report(problem);
      setOutcome({ text: texts.failed, isDone: false });
    }
    setPending(null);
  };
  return (
    <div className={layout.answers}>
      {!isDone &&
        actions.map((action, place) => (
          <ActionButton
            // eslint-disable-next-line react/no-array-index-key -- the list of a message never changes
            key={place}
            action={action}
            name={`${action.label}: ${title}`}
            pending={pending}
            onFollow={onDone}
            onCall={(callback) => void call(action, callback)}
          />
        ))}
      <span ref={outcomeText} role="status" className={layout.hint} tabIndex={-1}>
        {outcome?.text}
      </span>
    </div>
  );
}

interface ActionButtonProps {
  readonly action: MessageAction;
  readonly name: string;
  /** The action of the message that is being called; null: none. */
  readonly pending: MessageAction | null;
  readonly onFollow: () => void;
  readonly onCall: (callback: string) => void;
}

function ActionButton({ action, name, pending, onFollow, onCall }: ActionButtonProps) {
  const label = <span dir="auto">{action.label}</span>;
  return 'url' in action ? (
    <Link className={buttonClass()} href={action.url} aria-label={name} onClick={onFollow}>
      {label}
    </Link>
  ) : (
    <Button
      pending={pending === action}
      inactive={pending !== null}
      aria-label={name}
      onClick={() => onCall(action.callback)}
    >
      {label}
    </Button>
  );
}
