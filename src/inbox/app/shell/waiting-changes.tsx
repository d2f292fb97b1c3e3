import { Suspense, use, useState, useSyncExternalStore } from 'react';
import { createPortal } from 'react-dom';
import { waitingActionName } from '../../features/notifications/actions/waiting-action-name.ts';
import { waitingTexts } from '../../features/notifications/actions/waiting-texts.ts';
import { inboxTexts } from '../../features/notifications/texts/notification-texts.ts';
import { WaitingDialog } from '../../features/outbox/waiting-dialog.tsx';
import { WaitingNote } from '../../features/outbox/waiting-note.tsx';
import { settingNames } from '../../features/preferences/texts/setting-names.ts';
import { waitingPreferencesName } from '../../features/preferences/waiting-preferences-name.ts';
import { useUserData } from '../data/user-data-context.ts';

/** The number of changes that wait for a connection, and the list of them. Unmounted when none is left. */
export function WaitingChanges({ count }: { readonly count: number }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <WaitingNote count={count} onShow={() => setIsOpen(true)} />
      {isOpen &&
        // Outside of the live region of the note, which would announce the whole list.
        createPortal(
          <Suspense>
            <WaitingList onClose={() => setIsOpen(false)} />
          </Suspense>,
          document.body,
        )}
    </>
  );
}

function WaitingList({ onClose }: { readonly onClose: () => void }) {
  const { openOutbox } = useUserData();
  const outbox = use(openOutbox());
  const entries = useSyncExternalStore(outbox.subscribe, outbox.getSnapshot);
  const texts = waitingTexts.use();
  const textsOfInbox = inboxTexts.use();
  const namesOfSettings = settingNames.use();
  return (
    <WaitingDialog
      changes={entries.map((entry) => ({
        id: entry.id,
        name:
          entry.type === 'action'
            ? waitingActionName(entry.action, outbox.findNotification, texts, textsOfInbox)
            : waitingPreferencesName(entry.preferences, namesOfSettings),
      }))}
      onDiscard={(ids) => void outbox.discard(ids)}
      onClose={onClose}
    />
  );
}
