import { useState } from 'react';
import { flushSync } from 'react-dom';
import { Link } from 'wouter';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { useInboxServices, useLocale } from '../data/inbox-context.ts';
import { AnswerButtons } from '../list/answer-buttons.tsx';
import { KindIcon } from '../list/kind-icon.tsx';
import { absoluteTime } from '../list/relative-time.ts';
import type { RowAction } from '../list/notification-row.tsx';
import { rowMenuPopup } from '../list/menu-button.ts';
import { SenderOnlineDot } from '../list/sender-avatar.tsx';
import type { Notification } from '../model/notification.ts';
import { inboxTexts } from '../texts/inbox-texts.ts';
import {
  notificationActor,
  notificationEntity,
  notificationKindLabel,
  notificationLink,
  notificationSnippet,
  notificationTitle,
} from '../texts/notification-words.ts';
import type { NotificationLink } from '../texts/notification-words.ts';
import { inboxDialogTexts } from '../texts/inbox-dialog-texts.ts';
import { ExternalLinkDialog } from './external-link-dialog.tsx';
import styles from './notification-detail.module.css';

export interface DetailContentProps {
  readonly notification: Notification;
  readonly isPanel: boolean;
  readonly onAction: (action: RowAction, notification: Notification) => void;
  readonly onClose: () => void;
}

/** Text, facts, link and actions of one notification. */
export function DetailContent({ notification, isPanel, onAction, onClose }: DetailContentProps) {
  const texts = inboxTexts.use();
  const words = inboxDialogTexts.use().detail;
  const locale = useLocale();
  const { entityUrl } = useInboxServices();
  const { kindName, status, createdAtMs, isSnoozed, snoozedUntilMs } = notification;
  const snippet = notificationSnippet(notification, texts);
  const link = notificationLink(notification, entityUrl);
  const sender = notificationActor(notification);
  const entity = notificationEntity(notification);
  const button = (action: RowAction, word: string) => (
    <Button
      aria-haspopup={action === 'more' ? rowMenuPopup() : undefined}
      onClick={() => {
        // The panel stays open beside the list; the sheet covers it, and returns the focus to the row when it closes.
        if (!isPanel) flushSync(onClose);
        onAction(action, notification);
      }}
    >
      {word}
    </Button>
  );
  return (
    <>
      <p className={styles.kind}>
        <KindIcon kind={kindName} size={16} /> <span>{notificationKindLabel(notification, texts)}</span>
      </p>
      {snippet && (
        <p className={styles.text} dir="auto">
          {snippet}
        </p>
      )}
      <dl className={styles.facts}>
        {sender && (
          <div>
            <dt>{words.from}</dt>
            <dd dir="auto">
              {sender}
              <SenderOnlineDot notification={notification} look="text" />
            </dd>
          </div>
        )}
        {entity && (
          <div>
            <dt>{words.about}</dt>
            <dd dir="auto">{entity}</dd>
          </div>
        )}
        {!Number.isNaN(createdAtMs) && (
          <div>
            <dt>{words.when}</dt>
            <dd>
              <time dateTime={new Date(createdAtMs).toISOString()}>{absoluteTime(createdAtMs, locale)}</time>
            </dd>
          </div>
        )}
        {isSnoozed && snoozedUntilMs !== null && (
          <div>
            <dt>{words.returns}</dt>
            <dd>
              <time dateTime={new Date(snoozedUntilMs).toISOString()}>
                {absoluteTime(snoozedUntilMs, locale)}
              </time>
            </dd>
          </div>
        )}
      </dl>
      <AnswerButtons
        className={styles.answers}
        notification={notification}
        title={notificationTitle(notification, texts)}
        onAnswer={() => onAction('open', notification)}
      />
      <div className={styles.actions}>
        {link && <FollowLink link={link} />}
        {status !== 'archived' &&
          !isSnoozed &&
          button('read', status === 'unread' ? texts.markRead : texts.markUnread)}
        {isSnoozed
          ? button('unsnooze', texts.unarchive)
          : button('archive', status === 'archived' ? texts.unarchive : texts.archive)}
        {button('snooze', texts.snooze)}
        {button('remove', texts.remove)}
        {button('more', texts.more)}
      </div>
    </>
  );
}

function FollowLink({ link: { href, foreignHost } }: { readonly link: NotificationLink }) {
  const words = inboxDialogTexts.use().detail;
  const [isLeaving, setLeaving] = useState(false);
  if (foreignHost !== null)
    return (
      <>
        <Button look="primary" onClick={() => setLeaving(true)}>
          {words.followForeign(foreignHost)}
        </Button>
        {isLeaving && <ExternalLinkDialog href={href} host={foreignHost} onClose={() => setLeaving(false)} />}
      </>
    );
  return href.startsWith('/') ? (
    <Link className={buttonClass('primary')} href={href}>
      {words.follow}
    </Link>
  ) : (
    <a className={buttonClass('primary')} href={href} rel="noreferrer">
      {words.follow}
    </a>
  );
}
