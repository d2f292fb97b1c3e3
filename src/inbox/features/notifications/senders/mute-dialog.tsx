import { useState } from 'react';
import { useClients } from '../../../shared/clients/clients-context.ts';
import type { Thread } from '../../../shared/sender-controls/sender-controls-api.ts';
import { Dialog } from '../../../ui/overlay/dialog.tsx';
import { TimeChoices } from '../times/time-choices.tsx';
import { inboxTexts } from '../texts/inbox-texts.ts';
import { muteChoices } from '../times/snooze-times.ts';
import { inboxDialogTexts } from '../texts/inbox-dialog-texts.ts';
import { useSenderCommands } from './use-sender-commands.ts';

export interface MuteDialogProps {
  readonly thread: Thread;
  /** The thread's name, for the title and the toast. */
  readonly name: string;
  readonly onClose: () => void;
}

export function MuteDialog({ thread, name, onClose }: MuteDialogProps) {
  const texts = inboxDialogTexts.use().senders;
  const common = inboxTexts.use();
  const commands = useSenderCommands();
  const { clock } = useClients().platform;
  const [nowMs] = useState(() => clock.now());
  return (
    <Dialog open sheet onClose={onClose} title={texts.muteTitle(name)} closeLabel={common.close}>
      <TimeChoices
        choices={muteChoices(nowMs).map((choice) => ({
          label: texts.muteChoices[choice.name],
          atMs: choice.untilMs,
        }))}
        nowMs={nowMs}
        onChoose={(mutedUntilMs) => {
          onClose();
          commands.mute({ ...thread, mutedUntilMs }, name);
        }}
      />
    </Dialog>
  );
}
