import { useSyncExternalStore } from 'react';
import { actionName } from '../../features/notifications/actions/action-name.ts';
import {
  actionsTopic,
  parseStoredAction,
} from '../../features/notifications/model/notification-operation.ts';
import { inboxTexts } from '../../features/notifications/texts/inbox-texts.ts';
import { PendingDialog } from '../../features/outbox/pending-dialog.tsx';
import { parseStoredPreferences } from '../../features/preferences/data/stored-preferences.ts';
import { preferencesName } from '../../features/preferences/preferences-name.ts';
import { preferencesTexts } from '../../features/preferences/preferences-texts.ts';
import type { PendingAction } from '../../shared/outbox/outbox-state.ts';
import { useUserData } from '../data/user-data-context.ts';

/** The pending changes by name. */
export function PendingList({ onClose }: { readonly onClose: () => void }) {
  const { inbox, outbox } = useUserData();
  const pending = useSyncExternalStore(outbox.subscribe, outbox.getSnapshot);
  const texts = inboxTexts.use();
  const textsOfPreferences = preferencesTexts.use();
  const nameOf = ({ topic, payload }: PendingAction) => {
    const action = topic === actionsTopic ? parseStoredAction(payload) : null;
    if (action) return actionName(action, inbox.findLoaded, texts);
    const preferences = parseStoredPreferences(payload);
    return preferences ? preferencesName(preferences, textsOfPreferences) : '';
  };
  return (
    <PendingDialog
      changes={pending.map((each) => ({ id: each.id, name: nameOf(each) }))}
      areStored={!outbox.hasStorageFailed()}
      onDiscard={(ids) => void outbox.discard(ids)}
      onClose={onClose}
    />
  );
}
