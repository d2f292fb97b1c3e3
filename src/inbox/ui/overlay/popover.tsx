import { useId, useState, type ReactNode } from 'react';
import { classNames } from '../state/class-names.ts';
import { useCloseOnHistoryNavigation } from './history-navigation.ts';
import styles from './popover.module.css';

export interface PopoverTrigger {
  readonly popoverTarget: string;
  readonly 'aria-expanded': boolean;
  readonly 'aria-haspopup': 'dialog';
}

export interface PopoverProps {
  /** Renders the button that opens it; spread the properties on a `<button>`. */
  readonly trigger: (properties: PopoverTrigger) => ReactNode;
  /** The accessible name. */
  readonly label: string;
  readonly className?: string | undefined;
  readonly onOpenChange?: (open: boolean) => void;
  /** Rendered while it is open. */
  readonly children: (close: () => void) => ReactNode;
}

/** Non-modal content in the top layer; the browser closes it on Escape or a click outside. */
export function Popover({ trigger, label, className, onOpenChange, children }: PopoverProps) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const close = () => document.getElementById(id)?.hidePopover();
  useCloseOnHistoryNavigation(open, close);
  return (
    <>
      {trigger({ popoverTarget: id, 'aria-expanded': open, 'aria-haspopup': 'dialog' })}
      <div
        id={id}
        popover="auto"
        role="dialog"
        aria-label={label}
        className={classNames(styles.popover, className)}
        onToggle={(event) => {
          const isOpen = event.newState === 'open';
          setOpen(isOpen);
          onOpenChange?.(isOpen);
        }}
      >
        {open && children(close)}
      </div>
    </>
  );
}
