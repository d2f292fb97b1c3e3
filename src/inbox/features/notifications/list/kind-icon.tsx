import { useRegisteredKinds } from '../../../shared/registered-kinds.ts';
import { createIcon } from '../../../ui/create-icon.tsx';
import {
  ArchiveIcon,
  BellIcon,
  CheckIcon,
  ClockIcon,
  CommentIcon,
  EditIcon,
  InfoIcon,
  InviteIcon,
  MentionIcon,
  PersonIcon,
  SettingsIcon,
} from '../../../ui/icons.tsx';
import styles from './sender-avatar.module.css';

type Icon = ReturnType<typeof createIcon>;

const builtInIcons: Readonly<Record<string, Icon>> = {
  mention: MentionIcon,
  edit: EditIcon,
  comment: CommentIcon,
  invite: InviteIcon,
  message: createIcon('M3 5h14v10.5H3V5Zm0 .5 7 6 7-6'),
};

/** The icons that a registered kind may have, by the names of the column `icon` of `notification_kinds`. */
const registeredIcons: Readonly<Record<string, Icon>> = {
  bell: BellIcon,
  info: InfoIcon,
  alert: createIcon('M10 3 2.5 16.5h15L10 3Zm0 5v4m0 2v.1'),
  check: CheckIcon,
  clock: ClockIcon,
  calendar: createIcon('M3 5h14v12H3V5Zm0 4h14M7 3v4m6-4v4'),
  card: createIcon('M2.5 5h15v11h-15V5Zm0 4h15M5 13h3'),
  person: PersonIcon,
  comment: CommentIcon,
  document: createIcon('M5 3h7l3.5 3.5V17H5V3Zm2.5 7h5.5m-5.5 3.5h5.5'),
  archive: ArchiveIcon,
  settings: SettingsIcon,
};

/** The icon of a kind in its color; decorative, since the kind's word stands beside it. */
export function KindIcon({ kind, size }: { readonly kind: string; readonly size?: number }) {
  const registered = useRegisteredKinds().get(kind);
  const Icon = builtInIcons[kind] ?? registeredIcons[registered?.icon ?? ''] ?? InfoIcon;
  return (
    <span className={styles.kind} data-kind={kind}>
      <Icon {...(size === undefined ? {} : { size })} />
    </span>
  );
}
