import type { CSSProperties } from 'react';
import { initials } from '../../../ui/avatar.tsx';
import { classNames } from '../../../ui/state/class-names.ts';
import { KindIcon } from './kind-icon.tsx';
import styles from './sender-avatar.module.css';

export interface SenderAvatarProps {
  /** The actor's name; null without an actor. */
  readonly name: string | null;
  readonly kind: string;
  /** In pixels. Default: `--face`, that of the row. */
  readonly size?: number;
}

/** The actor's initials in a color of their name; the kind without an actor. Decorative. */
export function SenderAvatar({ name, kind, size }: SenderAvatarProps) {
  const letters = name === null ? '' : initials(name);
  const face = { '--face': size && `${size}px`, '--hue': name && hueOf(name) } as CSSProperties;
  return (
    <span
      className={classNames(styles.avatar, letters === '' && styles.glyph)}
      style={face}
      aria-hidden="true"
    >
      {letters === '' ? <KindIcon kind={kind} size={18} /> : letters}
    </span>
  );
}

/** The same hue for the same name, spread over the color wheel. */
function hueOf(name: string): number {
  let hash = 0;
  for (const character of name) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 360;
  return hash;
}
