import { useCallback, useSyncExternalStore, type ComponentType } from 'react';
import styles from './online-dot.module.css';
import type { OnlinePeople } from './online-people.ts';

/** The same word in English and German. */
const online = 'Online';

export interface OnlineDotProps {
  readonly userId: string;
  /** `dot`: on the corner of an avatar, whose container positions it; `text`: with the word beside it. */
  readonly look: 'dot' | 'text';
}

/** Creates the component that shows whether a user is online: nothing otherwise, and nothing for unknown users. */
export function createOnlineDot(people: OnlinePeople): ComponentType<OnlineDotProps> {
  return function OnlineDot({ userId, look }: OnlineDotProps) {
    const subscribe = useCallback((listener: () => void) => people.watch(userId, listener), [userId]);
    const isOnline = useSyncExternalStore(subscribe, () => people.isOnline(userId));
    if (!isOnline) return null;
    return look === 'dot' ? <Dot /> : <LabeledDot />;
  };
}

function Dot() {
  return <span className={styles.dot} role="img" aria-label={online} title={online} />;
}

function LabeledDot() {
  return (
    <span className={styles.labeled}>
      <span className={styles.mark} />
      {online}
    </span>
  );
}
