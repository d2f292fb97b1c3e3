import { useId, useLayoutEffect, useRef, type MouseEvent, type ReactNode } from 'react';
import { IconButton } from '../button.tsx';
import { CloseIcon } from '../icons.tsx';
import { classNames } from '../state/class-names.ts';
import { useCloseOnHistoryNavigation } from './history-navigation.ts';
import styles from './dialog.module.css';

export interface DialogProps {
  readonly open: boolean;
  /** Escape, the close button, or a click outside the dialog. */
  readonly onClose: () => void;
  readonly title: string;
  readonly closeLabel: string;
  /** On phones the dialog is a bottom sheet. */
  readonly sheet?: boolean;
  /** Whether the URL holds the open state. Default: false, and Back and Forward close the dialog. */
  readonly isInUrl?: boolean;
  /** Places the open dialog, as `placeAt` does beside its button; in wide windows the page behind it then stays bright. */
  readonly place?: ((dialog: HTMLElement) => void) | null;
  readonly titleClass?: string | undefined;
  readonly children: ReactNode;
}

/** Takes the focus when a dialog opens: a field of its form, or a choice. Without either the close button has it. */
const firstControl = 'form input:not([hidden]), form select, form textarea, [data-choices] button';

/** A native modal dialog: the browser traps and returns the focus. */
export function Dialog(props: DialogProps) {
  const { open, onClose, title, closeLabel, sheet = false, titleClass, isInUrl = false, children } = props;
  const { place = null } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Close before React removes the element: only then the browser returns the focus.
  useLayoutEffect(() => {
    const element = dialog.current;
    if (!element || !open) return;
    if (!element.open) element.showModal();
    // The browser focuses the close button, which comes first.
    element.querySelector<HTMLElement>(firstControl)?.focus();
    place?.(element);
    return () => element.close();
  }, [open, place]);
  useCloseOnHistoryNavigation(open && !isInUrl, onClose);
  const closeOnBackdrop = (event: MouseEvent) => {
    if (event.target === dialog.current) onClose();
  };
  return (
    // eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions -- Escape is the key for it
    <dialog
      ref={dialog}
      className={classNames(styles.dialog, sheet && styles.sheet, place && styles.anchored)}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={closeOnBackdrop}
    >
      {open && (
        <>
          <div className={styles.head}>
            <h2 id={id} className={titleClass}>
              {title}
            </h2>
            <IconButton className={styles.close} label={closeLabel} icon={<CloseIcon />} onClick={onClose} />
          </div>
          {children}
        </>
      )}
    </dialog>
  );
}
