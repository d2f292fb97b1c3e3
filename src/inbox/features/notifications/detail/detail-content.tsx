import { useState, useSyncExternalStore, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { Link } from 'wouter';
import { Button, IconButton, buttonClass } from '../../../ui/button.tsx';
import { ClockIcon } from '../../../ui/icons.tsx';
import { useInboxServices, useLocale } from '../data/inbox-context.ts';
import { paths } from '../../../shared/routes.ts';
import { AnswerButtons } from '../list/answer-buttons.tsx';
import { KindIcon } from '../list/kind-icon.tsx';
import { absoluteTime, pastMoment } from '../../../ui/list/relative-time.ts';
import { LinkedText } from '../../../ui/list/linked-text.tsx';
import { rowActions, rowMenuPopup, type OnRowAction } from '../list/row-actions.ts';
import { SenderAvatar } from '../list/sender-avatar.tsx';
import type { Notification } from '../model/notification.ts';
import { inboxTexts } from '../texts/inbox-texts.ts';
import {
  addressLink,
  notificationActor,
  notificationEntity,
  notificationInvitation,
  notificationKindLabel,
  notificationLink,
  notificationSnippet,
  notificationTitle,
} from '../texts/notification-words.ts';
import type { NotificationLink } from '../texts/notification-words.ts';
import { inboxDialogTexts } from '../texts/inbox-dialog-texts.ts';
import layout from '../../../ui/layout.module.css';
import { Dialog } from '../../../ui/overlay/dialog.tsx';
import { EarlierRows } from './earlier-rows.tsx';
import styles from './notification-detail.module.css';

export interface DetailProps {
  readonly notification: Notification;
  readonly onAction: OnRowAction;
}

interface DetailContentProps extends DetailProps {
  readonly heading: ReactNode;
}

/** The actor, the event and the time, the text, and the link to the page. */
export function DetailContent({ notification, onAction, heading }: DetailContentProps) {
  const texts = inboxTexts.use();
  const { entityUrl } = useInboxServices();
  const [left, setLeft] = useState<Pick<ExternalLinkDialogProps, 'href' | 'host'> | null>(null);
  const { id } = notification;
  const snippet = notificationSnippet(notification, texts);
  const link = notificationLink(notification, entityUrl);
  return (
    <>
      <DetailHead notification={notification} heading={heading} />
      {snippet && (
        <blockquote className={styles.text} dir="auto">
          <LinkedText
            text={snippet}
            onFollow={(event, url) => {
              const { href, foreignHost: host } = addressLink(url, entityUrl);
              if (host === null) return;
              event.preventDefault();
              setLeft({ href, host });
            }}
          />
        </blockquote>
      )}
      {left && <ExternalLinkDialog {...left} onClose={() => setLeft(null)} />}
      <AnswerButtons
        className={styles.answers}
        notification={notification}
        title={notificationTitle(notification, texts)}
        onAnswer={() => onAction('open', [notification], id)}
      />
      {link && (
        <FollowLink
          link={link}
          name={notificationEntity(notification)}
          // The main button of an invitation accepts it.
          look={notificationInvitation(notification) ? 'secondary' : 'primary'}
        />
      )}
      <EarlierRows notification={notification} />
    </>
  );
}

/** The actor, the event and the time. */
function DetailHead({ notification, heading }: Omit<DetailContentProps, 'onAction'>) {
  const texts = inboxTexts.use();
  const words = inboxDialogTexts.use().detail;
  const locale = useLocale();
  const { minuteClock } = useInboxServices();
  const nowMs = useSyncExternalStore(minuteClock.subscribe, minuteClock.getSnapshot);
  const { kindName, createdAtMs, isSnoozed, snoozedUntilMs } = notification;
  const actor = notificationActor(notification);
  const time = (atMs: number, words: string) => (
    <time dateTime={new Date(atMs).toISOString()} title={absoluteTime(atMs, locale)}>
      {words}
    </time>
  );
  return (
    <div className={styles.head}>
      <SenderAvatar name={actor} kind={kindName} size={40} />
      <div className={styles.words}>
        {heading}
        <p className={styles.meta}>
          {actor !== null && <KindIcon kind={kindName} size={16} />}
          <span>{notificationKindLabel(notification, texts)}</span>
          {!Number.isNaN(createdAtMs) && time(createdAtMs, pastMoment(createdAtMs, nowMs, locale))}
        </p>
        {isSnoozed && snoozedUntilMs !== null && (
          <p className={styles.meta}>
            <ClockIcon size={16} />
            <span>{words.returns}</span>{' '}
            {time(snoozedUntilMs, absoluteTime(snoozedUntilMs, locale, 'medium'))}
          </p>
        )}
      </div>
    </div>
  );
}

export interface DetailButtonsProps extends DetailProps {
  /** Called before an action where the detail covers the list; it returns the focus to the row. */
  readonly onLeave: (() => void) | null;
}

/** The actions, as icons with tooltips. */
export function DetailButtons({ notification, onAction, onLeave }: DetailButtonsProps) {
  const texts = inboxTexts.use();
  const { read, unsnooze, archive, snooze, remove, more } = rowActions([notification], texts);
  return [read, unsnooze ?? archive, snooze, remove, more].map((button) => {
    if (!button) return null;
    const [action, word, Icon] = button;
    return (
      <IconButton
        key={action}
        aria-haspopup={action === 'more' ? rowMenuPopup() : action === 'snooze' ? 'dialog' : undefined}
        label={word}
        icon={<Icon />}
        onClick={() => {
          if (onLeave) flushSync(onLeave);
          onAction(action, [notification], notification.id);
        }}
      />
    );
  });
}

interface FollowLinkProps {
  readonly link: NotificationLink;
  /** The name of the entity; null: none. */
  readonly name: string | null;
  readonly look: 'primary' | 'secondary';
}

function FollowLink({ link: { href, foreignHost }, name, look }: FollowLinkProps) {
  const words = inboxDialogTexts.use().detail;
  const [isLeaving, setLeaving] = useState(false);
  if (foreignHost !== null)
    return (
      <>
        <Button look={look} className={styles.follow} onClick={() => setLeaving(true)}>
          {words.follow(foreignHost)}
        </Button>
        {isLeaving && <ExternalLinkDialog href={href} host={foreignHost} onClose={() => setLeaving(false)} />}
      </>
    );
  const shared = { className: `${buttonClass(look)} ${styles.follow}`, href };
  const label = (
    <span>{words.follow(name ?? (href === paths.preferences ? words.preferences : words.page))}</span>
  );
  return href.startsWith('/') ? (
    <Link {...shared}>{label}</Link>
  ) : (
    <a {...shared} rel="noreferrer">
      {label}
    </a>
  );
}

interface ExternalLinkDialogProps {
  readonly href: string;
  readonly host: string;
  readonly onClose: () => void;
}

/** Warns before a link to a host that the sender chose, and shows its whole address. */
function ExternalLinkDialog({ href, host, onClose }: ExternalLinkDialogProps) {
  const texts = inboxTexts.use();
  const words = inboxDialogTexts.use().detail;
  return (
    <Dialog open sheet onClose={onClose} title={words.leaving.title} closeLabel={texts.close}>
      <p>{words.leaving.text}</p>
      <p className={styles.address}>
        <bdi dir="ltr">{showHiddenCharacters(href)}</bdi>
      </p>
      <div className={layout.row}>
        <a
          className={buttonClass('primary')}
          href={href}
          target="_blank"
          rel="noreferrer noopener"
          onClick={onClose}
        >
          {words.leaving.proceed(host)}
        </a>
        <Button onClick={onClose}>{texts.cancel}</Button>
      </div>
    </Dialog>
  );
}

/** Control, zero-width and bidirectional characters, which could disguise an address. */
const hiddenCharacters = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** The text with hidden characters written as `<U+202E>`. */
export function showHiddenCharacters(text: string): string {
  return text.replace(
    hiddenCharacters,
    (character) => `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`,
  );
}
