import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/overlay/dialog.tsx';
import { accountTexts } from './account-texts.ts';
import layout from '../../ui/layout.module.css';

export interface ConfirmDialogProps {
  readonly open: boolean;
  readonly title: string;
  /** The label of the confirming button. */
  readonly action: string;
  readonly pending: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Asks for confirmation before an irreversible action. */
export function ConfirmDialog({
  open,
  title,
  action,
  pending,
  onConfirm,
  onClose,
  children,
}: ConfirmDialogProps) {
  const texts = accountTexts.use();
  return (
    <Dialog open={open} title={title} closeLabel={texts.close} onClose={onClose}>
      {children}
      <div className={layout.actions}>
        <Button onClick={onClose}>{texts.cancel}</Button>
        <Button look="danger" pending={pending} onClick={onConfirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
