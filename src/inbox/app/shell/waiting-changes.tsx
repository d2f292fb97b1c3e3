import { Suspense, use, useState, useSyncExternalStore } from 'react';
import { createPortal } from 'react-dom';
import { waitingActionName } from '../../features/notifications/actions/waiting-action-name.ts';
import { inboxTexts } from '../../features/notifications/texts/inbox-texts.ts';
import { WaitingDialog } from '../../features/outbox/waiting-dialog.tsx';
import { WaitingNote } from '../../features/outbox/waiting-note.tsx';
import { preferencesTexts } from '../../features/preferences/preferences-texts.ts';
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
  const texts = inboxTexts.use();
  const namesOfSettings = preferencesTexts.use();
  return (
    <WaitingDialog
      changes={entries.map((entry) => ({
        id: entry.id,
        name:
          entry.type === 'action'
            ? waitingActionName(entry.action, outbox.findNotification, texts)
            : waitingPreferencesName(entry.preferences, namesOfSettings),
      }))}
      onDiscard={(ids) => void outbox.discard(ids)}
      onClose={onClose}
    />
  );
}
