import { CommentIcon, EditIcon, InfoIcon, InviteIcon, MentionIcon } from '../../../ui/icons.tsx';
import type { NotificationKind } from '../model/notification.ts';
import styles from './sender-avatar.module.css';

const icons = {
  mention: MentionIcon,
  edit: EditIcon,
  comment: CommentIcon,
  invite: InviteIcon,
  system: InfoIcon,
  other: InfoIcon,
} as const;

/** The icon of a kind in its color; decorative, since the kind's word stands beside it. */
export function KindIcon({ kind, size }: { readonly kind: NotificationKind; readonly size?: number }) {
  const Icon = icons[kind];
  return (
    <span className={styles.kind} data-kind={kind}>
      <Icon {...(size === undefined ? {} : { size })} />
    </span>
  );
}
