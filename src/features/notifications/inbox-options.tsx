import { useState, useSyncExternalStore } from 'react';
import { Dialog } from '../../ui/dialog.tsx';
import { Message } from '../../ui/message.tsx';
import { Switch } from '../../ui/switch.tsx';
import { desktopPermission, isDesktopChosen, setDesktopChosen } from './desktop-choice.ts';
import styles from './inbox.module.css';
import { inboxTexts } from './notification-texts.ts';
import { setShortcutsEnabled, shortcutKeys, shortcutsEnabled } from './shortcuts.ts';
import type { Shortcut } from './shortcuts.ts';

const keyNames: Readonly<Record<string, string>> = {
  ArrowDown: '↓',
  ArrowUp: '↑',
  Delete: 'Del',
  R: 'Shift R',
};

/** The keys and the switches of this device. */
export function InboxOptions({ onClose }: { readonly onClose: () => void }) {
  const texts = inboxTexts.use();
  const areOn = useSyncExternalStore(shortcutsEnabled.subscribe, shortcutsEnabled.getSnapshot);
  return (
    <Dialog open sheet onClose={onClose} title={texts.options} closeLabel={texts.close}>
      <div className={styles.options}>
        {desktopPermission() !== null && <DesktopSwitch />}
        <Switch
          label={texts.shortcutsSwitch}
          hint={texts.shortcutsHint}
          checked={areOn}
          onChange={setShortcutsEnabled}
        />
        <h3>{texts.shortcuts}</h3>
        <dl className={styles.keys}>
          {(Object.keys(shortcutKeys) as Shortcut[]).map((shortcut) => (
            <div key={shortcut}>
              <dt>{texts.shortcut[shortcut]}</dt>
              <dd>
                {shortcutKeys[shortcut].map((key) => (
                  <kbd key={key}>{keyNames[key] ?? key.toUpperCase()}</kbd>
                ))}
              </dd>
            </div>
          ))}
        </dl>
      </div>
    </Dialog>
  );
}

function DesktopSwitch() {
  const texts = inboxTexts.use();
  const [isChosen, setIsChosen] = useState(isDesktopChosen);
  const [permission, setPermission] = useState(desktopPermission);
  const choose = async (wanted: boolean) => {
    // Browsers ask only in answer to what a person did.
    const answer = wanted ? await Notification.requestPermission() : permission;
    setPermission(answer);
    setDesktopChosen(wanted && answer === 'granted');
    setIsChosen(isDesktopChosen());
  };
  return (
    <>
      <Switch
        label={texts.desktop}
        hint={texts.desktopHint}
        checked={isChosen && permission === 'granted'}
        onChange={(wanted) => void choose(wanted)}
      />
      <div role="status">
        {permission === 'denied' && <Message tone="warning">{texts.desktopDenied}</Message>}
      </div>
    </>
  );
}
