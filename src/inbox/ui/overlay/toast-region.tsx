import { useEffect, useState, useSyncExternalStore } from 'react';
import { Button, IconButton } from '../button.tsx';
import { CloseIcon } from '../icons.tsx';
import { classNames } from '../state/class-names.ts';
import { toasts, type Toast } from '../state/toasts.ts';
import styles from './toast-region.module.css';

export interface ToastRegionProps {
  /** The accessible name of the region. */
  readonly label: string;
  readonly dismissLabel: string;
}

/** The toasts: a live region that is mounted from the start, after the content in DOM order. */
export function ToastRegion({ label, dismissLabel }: ToastRegionProps) {
  const shown = useSyncExternalStore(toasts.subscribe, toasts.getSnapshot);
  return (
    <section aria-label={label} className={styles.region}>
      <div role="status">
        {shown.map((toast) => (
          <ToastItem key={toast.id} toast={toast} dismissLabel={dismissLabel} />
        ))}
      </div>
    </section>
  );
}

function ToastItem({ toast, dismissLabel }: { readonly toast: Toast; readonly dismissLabel: string }) {
  const [isPaused, setPaused] = useState(false);
  useCountdown(toast, isPaused);
  return (
    <div
      className={classNames(styles.toast, toast.tone === 'error' && styles.error)}
      onPointerEnter={() => setPaused(true)}
      onPointerLeave={() => setPaused(false)}
      onFocus={() => setPaused(true)}
      onBlur={() => setPaused(false)}
    >
      <span className={styles.text}>{toast.text}</span>
      <span className={styles.actions}>
        {toast.action && (
          <Button
            look="link"
            onClick={() => {
              toast.action?.run();
              toasts.dismiss(toast.id);
            }}
          >
            {toast.action.label}
          </Button>
        )}
        <IconButton label={dismissLabel} icon={<CloseIcon />} onClick={() => toasts.dismiss(toast.id)} />
      </span>
    </div>
  );
}

/** Dismisses the toast after its time, which pauses on hover, on focus and while the tab is hidden. */
function useCountdown(toast: Toast, isPaused: boolean): void {
  const [hidden, setHidden] = useState(() => document.hidden);
  const [left] = useState(() => ({ ms: toast.durationMs }));
  useEffect(() => {
    const follow = () => setHidden(document.hidden);
    document.addEventListener('visibilitychange', follow);
    return () => document.removeEventListener('visibilitychange', follow);
  }, []);
  useEffect(() => {
    if (isPaused || hidden) return;
    const startedAtMs = performance.now();
    const timer = setTimeout(() => toasts.dismiss(toast.id), left.ms);
    return () => {
      clearTimeout(timer);
      left.ms -= performance.now() - startedAtMs;
    };
  }, [toast.id, isPaused, hidden, left]);
}
