import { useState, useSyncExternalStore } from 'react';
import { Dialog } from '../../../ui/overlay/dialog.tsx';
import { Message } from '../../../ui/page/message.tsx';
import { Switch } from '../../../ui/form/switch.tsx';
import { desktopChoice, desktopPermission } from '../arrivals/desktop-choice.ts';
import styles from './inbox.module.css';
import { inboxTexts } from '../texts/notification-texts.ts';
import { shortcutKeys, shortcutsEnabled } from '../actions/shortcuts.ts';
import type { Shortcut } from '../actions/shortcuts.ts';
import { soundChoice } from '../arrivals/sound-choice.ts';

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
  const isLoud = useSyncExternalStore(soundChoice.subscribe, soundChoice.getSnapshot);
  return (
    <Dialog open sheet onClose={onClose} title={texts.options} closeLabel={texts.close}>
      <div className={styles.options}>
        {desktopPermission() !== null && <DesktopSwitch />}
        <Switch label={texts.sound} hint={texts.soundHint} checked={isLoud} onChange={chooseSound} />
        <Switch
          label={texts.shortcutsSwitch}
          hint={texts.shortcutsHint}
          checked={areOn}
          onChange={shortcutsEnabled.set}
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

/** Who switches it on hears what they will hear. */
function chooseSound(isLoud: boolean): void {
  soundChoice.set(isLoud);
  if (isLoud) void import('../arrivals/arrival-sound.ts').then(({ playNotes }) => playNotes());
}

function DesktopSwitch() {
  const texts = inboxTexts.use();
  const isChosen = useSyncExternalStore(desktopChoice.subscribe, desktopChoice.getSnapshot);
  const [permission, setPermission] = useState(desktopPermission);
  const choose = async (wanted: boolean) => {
    // Browsers ask only in answer to what a person did.
    const answer = wanted ? await Notification.requestPermission() : permission;
    setPermission(answer);
    desktopChoice.set(wanted && answer === 'granted');
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
