import { useMemo, type ReactNode } from 'react';
import { useRegisteredKinds } from '../../../shared/registered-kinds.ts';
import { onDemand } from '../../../ui/state/loader.ts';
import { PartBoundary } from '../../../ui/page/part-boundary.tsx';
import { useInboxServices } from '../data/inbox-context.ts';
import type { Notification } from '../model/notification.ts';
import { messageActions, notificationInvitation } from '../texts/notification-words.ts';

export interface AnswerButtonsProps {
  readonly className?: string | undefined;
  readonly notification: Notification;
  /** The title of the notification, for the names of the buttons. */
  readonly title: string;
  /** Called when an answer was recorded, or an action of the sender was taken. */
  readonly onAnswer: () => void;
}

const ActionButtons = onDemand(async () => (await import('./action-buttons.tsx')).ActionButtons);

/** Buttons that answer the invitation in a notification, or those that its sender defined; nothing for another notification. */
export function AnswerButtons({ className, notification, title, onAnswer }: AnswerButtonsProps) {
  const { InvitationAnswer } = useInboxServices();
  const kind = useRegisteredKinds().get(notification.kindName);
  const actions = useMemo(() => messageActions(notification, kind), [notification, kind]);
  const invitation = notificationInvitation(notification);
  let buttons: ReactNode = null;
  if (invitation && InvitationAnswer)
    buttons = <InvitationAnswer {...invitation} title={title} onAnswer={onAnswer} />;
  else if (actions.length > 0)
    buttons = (
      <ActionButtons notificationId={notification.id} actions={actions} title={title} onDone={onAnswer} />
    );
  return (
    buttons && (
      <div className={className}>
        <PartBoundary isOptional>{buttons}</PartBoundary>
      </div>
    )
  );
}
