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
  const name = (label: string) => `${label}: ${title}`;
  return (
    <div className={layout.answers}>
      {!isDone &&
        actions.map((action, place) =>
          'url' in action ? (
            <Link
              // eslint-disable-next-line react/no-array-index-key -- the list of a message never changes
              key={place}
              className={buttonClass()}
              href={action.url}
              aria-label={name(action.label)}
              onClick={onDone}
            >
              <span dir="auto">{action.label}</span>
            </Link>
          ) : (
            <Button
              // eslint-disable-next-line react/no-array-index-key -- the list of a message never changes
              key={place}
              pending={pending === action}
              inactive={pending !== null}
              aria-label={name(action.label)}
              onClick={() => void call(action, action.callback)}
            >
              <span dir="auto">{action.label}</span>
            </Button>
          ),
        )}
      <span ref={outcomeText} role="status" className={layout.hint} tabIndex={-1}>
        {outcome?.text}
      </span>
    </div>
  );
}
