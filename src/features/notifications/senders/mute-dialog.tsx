import { useState } from 'react';
import { formatComingTime } from '../../../shared/coming-time.ts';
import { useClients } from '../../../shared/clients/clients-context.ts';
import type { Thread } from '../../../shared/sender-controls/sender-controls-api.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/overlay/dialog.tsx';
import { useLocale } from '../data/inbox-context.ts';
import styles from '../snooze/snooze-dialog.module.css';
import { inboxTexts } from '../texts/notification-texts.ts';
import { muteChoices } from './mute-times.ts';
import { senderTexts } from './sender-texts.ts';
import { useSenderCommands } from './use-sender-commands.ts';

export interface MuteDialogProps {
  readonly thread: Thread;
  /** The thread's name, for the title and the toast. */
  readonly name: string;
  readonly onClose: () => void;
}

/** Asks how long to mute a thread. */
export function MuteDialog({ thread, name, onClose }: MuteDialogProps) {
  const texts = senderTexts.use();
  const common = inboxTexts.use();
  const locale = useLocale();
  const commands = useSenderCommands();
  const { clock } = useClients().platform;
  const [nowMs] = useState(() => clock.now());
  return (
    <Dialog open sheet onClose={onClose} title={texts.muteTitle(name)} closeLabel={common.close}>
      <div className={styles.choices}>
        {muteChoices(nowMs).map((choice) => (
          <Button
            key={choice.name}
            look="quiet"
            wide
            className={styles.choice}
            onClick={() => {
              onClose();
              commands.mute({ ...thread, mutedUntilMs: choice.untilMs }, name);
            }}
          >
            <span>{texts.muteChoices[choice.name]}</span>
            {choice.untilMs !== null && (
              <span className={styles.time}>{formatComingTime(choice.untilMs, nowMs, locale)}</span>
            )}
          </Button>
        ))}
      </div>
    </Dialog>
  );
}
