import { Suspense } from 'react';
import { useInboxServices } from '../data/inbox-context.ts';
import type { Notification } from '../model/notification.ts';
import { notificationInvitation } from '../texts/notification-words.ts';

export interface AnswerButtonsProps {
  readonly className?: string | undefined;
  readonly notification: Notification;
  /** The title of the notification, for the names of the buttons. */
  readonly title: string;
  /** Called when an answer was recorded. */
  readonly onAnswer: () => void;
}

/** Buttons that answer the invitation in a notification; nothing for a notification without one. */
export function AnswerButtons({ className, notification, title, onAnswer }: AnswerButtonsProps) {
  const { InvitationAnswer } = useInboxServices();
  const invitation = notificationInvitation(notification);
  if (!invitation || !InvitationAnswer) return null;
  return (
    <div className={className}>
      <Suspense>
        <InvitationAnswer {...invitation} title={title} onAnswer={onAnswer} />
      </Suspense>
    </div>
  );
}
