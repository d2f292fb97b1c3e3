import { createIcon } from './create-icon.tsx';

export const BellIcon = createIcon('M4 14h12l-1.5-2.5V8a4.5 4.5 0 0 0-9 0v3.5L4 14Zm4 2.5a2 2 0 0 0 4 0');
export const InboxIcon = createIcon('M2.5 11 5 4h10l2.5 7v5h-15v-5Zm0 0h4l1 2h5l1-2h4');
export const PersonIcon = createIcon('M10 10a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7Zm-7 7a7 7 0 0 1 14 0');
export const SettingsIcon = createIcon('M3 6h8m4 0h2M3 14h2m4 0h8M13 4v4M7 12v4');
export const ArchiveIcon = createIcon('M2.5 4h15v3.5h-15V4Zm1 3.5V16h13V7.5M8 11h4');
export const UnarchiveIcon = createIcon('M2.5 4h15v3.5h-15V4Zm1 3.5V16h13V7.5M10 14v-4m-2 1.5 2-2 2 2');
export const TrashIcon = createIcon('M3.5 5.5h13M8 5.5V3h4v2.5m-7 0L6 17h8l1-11.5m-6.5 3v5m3-5v5');
export const CheckIcon = createIcon('m4 10.5 4 4 8-9');
export const CheckAllIcon = createIcon('m1.5 11 3.5 3.5 7-8m-2.5 7 1.5 1 7-8');
export const UnreadIcon = createIcon('M10 6a4 4 0 1 0 0 8 4 4 0 0 0 0-8Z', { fill: 'currentColor' });
export const MailIcon = createIcon('M2.5 5h15v10.5h-15V5Zm0 .5L10 11l7.5-5.5');
export const MentionIcon = createIcon(
  'M13 10a3 3 0 1 1-6 0 3 3 0 0 1 6 0Zm0 0v1.5a2 2 0 0 0 4 0V10a7 7 0 1 0-3 5.7',
);
export const EditIcon = createIcon('m12 4.5 3.5 3.5L7 16.5H3.5V13L12 4.5Z');
export const CommentIcon = createIcon('M3 4h14v10H9l-4 3v-3H3V4Z');
export const InviteIcon = createIcon(
  'M8 10a3 3 0 1 0 0-6 3 3 0 0 0 0 6Zm-6 6.5a6 6 0 0 1 12 0M16 6v5m-2.5-2.5h5',
);
export const InfoIcon = createIcon('M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14Zm0-7.5V13m0-6v.1');
export const MoreIcon = createIcon('M4.5 10v.1M10 10v.1m5.5-.1v.1', { strokeWidth: 2.5 });
export const FilterIcon = createIcon('M3 5.5h14M6 10h8m-5.5 4.5h3');
export const ClockIcon = createIcon('M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14Zm0-11v4l2.5 2');
export const SearchIcon = createIcon('M9 14.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11Zm4-1.5 4 4');
export const CloseIcon = createIcon('m5 5 10 10M15 5 5 15');
