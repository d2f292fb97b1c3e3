import { initials } from '../../../ui/avatar.tsx';
import { classNames } from '../../../ui/state/class-names.ts';
import { useInboxServices } from '../data/inbox-context.ts';
import type { Notification } from '../model/notification.ts';
import { KindIcon } from './kind-icon.tsx';
import styles from './sender-avatar.module.css';

export interface SenderAvatarProps {
  /** The actor's name; null where there is none. */
  readonly name: string | null;
  /** The name of the kind. */
  readonly kind: string;
}

/** The actor's initials in a color of their name, with the kind as a badge; the kind alone without an actor. Decorative. */
export function SenderAvatar({ name, kind }: SenderAvatarProps) {
  const letters = name === null ? '' : initials(name);
  if (name === null || letters === '')
    return (
      <span className={classNames(styles.avatar, styles.glyph)} aria-hidden="true">
        <KindIcon kind={kind} size={18} />
      </span>
    );
  return (
    <span className={styles.avatar} style={{ ['--hue' as string]: hueOf(name) }} aria-hidden="true">
      {letters}
      <span className={styles.badge}>
        <KindIcon kind={kind} size={14} />
      </span>
    </span>
  );
}

/** Whether the sender is online, if that is known. It stands beside the avatar, on its corner or as text. */
export function SenderOnlineDot({
  notification: { senderId },
  look = 'dot',
}: {
  readonly notification: Pick<Notification, 'senderId'>;
  readonly look?: 'dot' | 'text';
}) {
  const { OnlineDot } = useInboxServices();
  return OnlineDot && senderId !== null ? <OnlineDot userId={senderId} look={look} /> : null;
}

/** The same hue for the same name, spread over the color wheel. */
function hueOf(name: string): number {
  let hash = 0;
  for (const character of name) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 360;
  return hash;
}
