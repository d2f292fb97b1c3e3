import { createIcon } from '../create-icon.tsx';

// Icons of parts that are loaded on demand.
export const BlockIcon = createIcon('M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14ZM5 5l10 10');
export const MuteIcon = createIcon(
  'M4 14h12l-1.5-2.5V8a4.5 4.5 0 0 0-9 0v3.5L4 14Zm4 2.5a2 2 0 0 0 4 0M3 3l14 14',
);
export const FlagIcon = createIcon('M5 17V3.5h9.5L12.5 7l2 3.5H5');
export const SelectIcon = createIcon('M4 4h12v12H4V4Zm3 6 2.5 2.5L13.5 7.5');
export const PreviousIcon = createIcon('m5 12.5 5-5 5 5');
export const NextIcon = createIcon('m5 7.5 5 5 5-5');
export const SignOutIcon = createIcon('M8 3H4v14h4m4-4 3-3-3-3m3 3H8');
