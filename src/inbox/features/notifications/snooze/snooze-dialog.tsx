import { useState, type FormEvent } from 'react';
import { flushSync } from 'react-dom';
import { useClients } from '../../../shared/clients/clients-context.ts';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/form/text-field.tsx';
import { Dialog } from '../../../ui/overlay/dialog.tsx';
import { placeAt } from '../../../ui/overlay/menu-place.ts';
import { useInboxCommands } from '../actions/inbox-commands.ts';
import { useLocale } from '../data/inbox-context.ts';
import type { Notification } from '../model/notification.ts';
import { inboxTexts } from '../texts/inbox-texts.ts';
import styles from './snooze-dialog.module.css';
import { inboxDialogTexts } from '../texts/inbox-dialog-texts.ts';
import { lastInput, parseLocalInput, snoozeChoices, toLocalInput } from '../times/snooze-times.ts';
import { TimeChoices } from '../times/time-choices.tsx';

export interface SnoozeDialogProps {
  readonly notifications: readonly Notification[];
  readonly onClose: () => void;
  /** Called before the notifications leave their list. */
  readonly onSnooze: () => void;
}

/** Suggests times of return, and accepts any other. */
export function SnoozeDialog({ notifications, onClose, onSnooze }: SnoozeDialogProps) {
  const texts = inboxDialogTexts.use().snooze;
  const common = inboxTexts.use();
  const commands = useInboxCommands();
  const locale = useLocale();
  const { clock } = useClients().platform;
  const [nowMs] = useState(() => clock.now());
  const place = useOpenerPlace();
  const [value, setValue] = useState('');
  const [error, setError] = useState<string>();
  const full = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'short' });

  const snooze = (untilMs: number) => {
    // The dialog returns the focus to the row, before the row leaves its list.
    flushSync(onClose);
    onSnooze();
    commands.snooze(notifications, untilMs, texts.snoozed(notifications.length, full.format(untilMs)));
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const untilMs = parseLocalInput(value);
    if (untilMs === null) setError(texts.missing);
    else if (untilMs <= clock.now()) setError(texts.past);
    else snooze(untilMs);
  };
  return (
    <Dialog
      open
      sheet
      place={place}
      onClose={onClose}
      title={texts.title(notifications.length)}
      closeLabel={common.close}
    >
      <TimeChoices
        choices={snoozeChoices(nowMs).map(({ name, atMs }) => ({ label: texts.choices[name], atMs }))}
        nowMs={nowMs}
        onChoose={(atMs) => snooze(Number(atMs))}
      />
      <form className={styles.form} noValidate onSubmit={submit}>
        <TextField
          label={texts.pick}
          type="datetime-local"
          value={value}
          min={toLocalInput(nowMs)}
          max={lastInput}
          error={error}
          onChange={({ currentTarget }) => {
            setValue(currentTarget.value);
            setError(undefined);
          }}
        />
        <Button type="submit" look="primary" wide>
          {texts.snooze}
        </Button>
      </form>
    </Dialog>
  );
}

/** The place at the button that opened the dialog. */
function useOpenerPlace() {
  const [place] = useState(() => {
    const button = document.activeElement?.closest<HTMLElement>('main *');
    return button ? (dialog: HTMLElement) => placeAt(dialog, button) : null;
  });
  return place;
}
