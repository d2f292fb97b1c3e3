import { useState, type FormEvent } from 'react';
import { useClients } from '../../../shared/clients/clients-context.ts';
import { reportReasons, type ReportReason } from '../../../shared/sender-controls/sender-controls-api.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/overlay/dialog.tsx';
import field from '../../../ui/form/field.module.css';
import { toasts } from '../../../ui/state/toasts.ts';
import { FormMessages } from '../../../ui/page/message.tsx';
import type { Notification } from '../model/notification.ts';
import { inboxTexts } from '../texts/inbox-texts.ts';
import { notificationActor } from '../texts/notification-words.ts';
import layout from '../../../ui/layout.module.css';
import styles from './report-dialog.module.css';
import { inboxDialogTexts } from '../texts/inbox-dialog-texts.ts';
import { useSenderCommands } from './use-sender-commands.ts';

export interface ReportDialogProps {
  readonly notification: Notification;
  readonly onClose: () => void;
}

/** Asks for the reason, and reports the notification to the operators of the service. */
export function ReportDialog({ notification, onClose }: ReportDialogProps) {
  const texts = inboxDialogTexts.use().senders;
  const common = inboxTexts.use();
  const { platform } = useClients();
  const commands = useSenderCommands();
  const [reason, setReason] = useState<ReportReason>('spam');
  const [comment, setComment] = useState('');
  const [isBlocking, setIsBlocking] = useState(false);
  const [isSending, setIsSending] = useState(false);
  const [hasFailed, setHasFailed] = useState(false);
  const { id, senderId } = notification;
  const name = notificationActor(notification) ?? texts.sender;
  const send = async (event: FormEvent) => {
    event.preventDefault();
    setIsSending(true);
    setHasFailed(false);
    try {
      await commands.report({ notificationId: id, reason, comment: comment.trim() });
      onClose();
      toasts.show(texts.reported);
      if (isBlocking && senderId !== null) commands.block(senderId, name);
    } catch (problem) {
      platform.report(problem);
      setHasFailed(true);
      setIsSending(false);
    }
  };
  return (
    <Dialog open sheet onClose={onClose} title={texts.reportTitle} closeLabel={common.close}>
      <form className={layout.stack} onSubmit={(event) => void send(event)}>
        <p>{texts.reportText}</p>
        <FormMessages error={hasFailed && texts.reportFailed} />
        <ReasonChoice value={reason} onChange={setReason} />
        <CommentField value={comment} onChange={setComment} />
        {senderId !== null && (
          <label className={styles.option}>
            <input
              type="checkbox"
              checked={isBlocking}
              onChange={({ currentTarget }) => setIsBlocking(currentTarget.checked)}
            />
            <span>{texts.alsoBlock(name)}</span>
          </label>
        )}
        <div className={layout.actions}>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" look="danger" pending={isSending}>
            {texts.send}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface ReasonChoiceProps {
  readonly value: ReportReason;
  readonly onChange: (reason: ReportReason) => void;
}

function ReasonChoice({ value, onChange }: ReasonChoiceProps) {
  const texts = inboxDialogTexts.use().senders;
  return (
    <fieldset className={styles.reasons}>
      <legend>{texts.reasonLabel}</legend>
      {reportReasons.map((reason) => (
        <label key={reason} className={styles.option}>
          <input type="radio" name="reason" checked={reason === value} onChange={() => onChange(reason)} />
          <span>{texts.reasons[reason]}</span>
        </label>
      ))}
    </fieldset>
  );
}

interface CommentFieldProps {
  readonly value: string;
  readonly onChange: (comment: string) => void;
}

function CommentField({ value, onChange }: CommentFieldProps) {
  const texts = inboxDialogTexts.use().senders;
  return (
    <label className={field.field}>
      <span className={field.label}>{texts.comment}</span>
      <textarea
        className={field.input}
        rows={3}
        maxLength={1000}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </label>
  );
}
