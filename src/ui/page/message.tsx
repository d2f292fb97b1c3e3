import type { ReactNode } from 'react';
import { classNames } from '../state/class-names.ts';
import styles from './message.module.css';

export type MessageTone = 'info' | 'success' | 'warning' | 'error';

/** A box of text within a page. It announces nothing by itself: put it into a region that was there before. */
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
  /** Spoken at once. */
  readonly error?: ReactNode;
  /** Spoken when the reader pauses. */
  readonly success?: ReactNode;
}

/** The two regions of a form. They are in the page from the start, or nobody would hear what is put into them. */
export function FormMessages({ error, success }: FormMessagesProps) {
  return (
    <>
      <div role="alert">{error && <Message tone="error">{error}</Message>}</div>
      <div role="status">{success && <Message tone="success">{success}</Message>}</div>
    </>
  );
}

/** The sign beside every error, so that colour is never alone. */
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
