import type { ReactNode } from 'react';
import { classNames } from '../state/class-names.ts';
import styles from './message.module.css';

export type MessageTone = 'info' | 'success' | 'warning' | 'error';

/** A box of text. Not a live region: render it inside of one that is already mounted. */
export function Message({
  tone = 'info',
  children,
}: {
  readonly tone?: MessageTone;
  readonly children: ReactNode;
}) {
  return (
    <div className={classNames(styles.message, styles[tone])}>
      {tone === 'success' ? <RoundIcon path="m5 8.5 2 2 4-4.5" /> : <WarningIcon />}
      <div className={styles.text}>{children}</div>
    </div>
  );
}

export interface FormMessagesProps {
  /** Announced at once (`alert`). */
  readonly error?: ReactNode;
  /** Announced politely (`status`). */
  readonly success?: ReactNode;
}

/** The live regions of a form. Mounted from the start: screen readers ignore regions that mount with their text. */
export function FormMessages({ error, success }: FormMessagesProps) {
  return (
    <>
      <div role="alert">{error && <Message tone="error">{error}</Message>}</div>
      <div role="status">{success && <Message tone="success">{success}</Message>}</div>
    </>
  );
}

/** The icon beside every error, so that color is never the only sign. */
export function WarningIcon() {
  return <RoundIcon path="M8 4.5v4M8 11v.5" />;
}

function RoundIcon({ path }: { readonly path: string }) {
  return (
    <svg
      width="16"
      height="16"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <circle cx="8" cy="8" r="6.5" />
      <path d={path} />
    </svg>
  );
}
