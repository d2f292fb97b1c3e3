import { useState, useSyncExternalStore } from 'react';
import type { Store } from 'supabase-protocol-clients/platform';
import { Button } from '../../../ui/button.tsx';
import { Choice } from '../../../ui/choice.tsx';
import layout from '../../../ui/layout.module.css';
import { Dialog } from '../../../ui/overlay/dialog.tsx';
import { Message } from '../../../ui/page/message.tsx';
import { Switch } from '../../../ui/form/switch.tsx';
import { playNotes } from '../arrivals/arrival-sound.ts';
import { desktopChoice, desktopPermission, soundChoice } from '../arrivals/arrival-choices.ts';
import styles from './inbox-options.module.css';
import { useInboxServices } from '../data/inbox-context.ts';
import { densities, densityChoice, type Density } from '../list/density.ts';
import { groupingChoice, liftingChoice } from '../list/use-list-entries.ts';
import { inboxDialogTexts } from '../texts/inbox-dialog-texts.ts';
import { SampleButton } from '../sample/sample-button.tsx';
import { inboxTexts } from '../texts/inbox-texts.ts';
import { shortcutKeys, shortcutsEnabled, type Shortcut } from '../actions/shortcuts.ts';

const arrows: Readonly<Record<string, string>> = { ArrowDown: '↓', ArrowUp: '↑' };

export interface InboxOptionsProps {
  readonly onClose: () => void;
  readonly onSelect: () => void;
  readonly onInvite: () => void;
}

/** The keyboard shortcuts, as the key for help shows them. */
export function KeyboardHelp({ onClose }: Pick<InboxOptionsProps, 'onClose'>) {
  const { close } = inboxTexts.use();
  const words = inboxDialogTexts.use().options;
  return (
    <Dialog open sheet onClose={onClose} title={words.shortcuts} closeLabel={close}>
      <div className={layout.stack}>
        <Shortcuts />
      </div>
    </Dialog>
  );
}

/** The settings of this device and the keys; on phones also the actions that the toolbar has no room for. */
export function InboxOptions({ onClose, onSelect, onInvite }: InboxOptionsProps) {
  const texts = inboxTexts.use();
  const words = inboxDialogTexts.use().options;
  const { InviteDialog } = useInboxServices();
  const density = useSyncExternalStore(densityChoice.subscribe, densityChoice.getSnapshot);
  return (
    <Dialog open sheet onClose={onClose} title={texts.options} closeLabel={texts.close}>
      <div className={layout.stack}>
        <div className={styles.phoneActions}>
          <Button
            wide
            onClick={() => {
              onClose();
              onSelect();
            }}
          >
            {texts.select}
          </Button>
          {InviteDialog && (
            <Button wide onClick={onInvite}>
              {texts.invite}
            </Button>
          )}
        </div>
        <Choice<Density>
          label={words.density}
          value={density}
          options={densities.map((name) => [name, words.densities[name]])}
          onChange={densityChoice.set}
        />
        <DeviceSwitch label={words.grouping} hint={words.groupingHint} choice={groupingChoice} />
        <DeviceSwitch label={words.lifting} hint={words.liftingHint} choice={liftingChoice} />
        {desktopPermission() !== null && <DesktopSwitch />}
        <DeviceSwitch label={words.sound} hint={words.soundHint} choice={audibleSoundChoice} />
        {SampleButton && <SampleButton wide />}
        <div className={styles.keyboard}>
          <h3>{words.shortcuts}</h3>
          <Shortcuts />
        </div>
      </div>
    </Dialog>
  );
}

/** The switch of the shortcuts, and their keys. */
function Shortcuts() {
  const words = inboxDialogTexts.use().options;
  return (
    <>
      <DeviceSwitch label={words.shortcutsSwitch} hint={words.shortcutsHint} choice={shortcutsEnabled} />
      <dl className={styles.keys}>
        {(Object.keys(shortcutKeys) as Shortcut[]).map((shortcut) => (
          <div key={shortcut}>
            <dt>{words.shortcut[shortcut]}</dt>
            <dd>
              {shortcutKeys[shortcut].map((key) => (
                <kbd key={key}>{words.keyNames[key] ?? arrows[key] ?? key.toUpperCase()}</kbd>
              ))}
            </dd>
          </div>
        ))}
        <div>
          <dt>{words.selectAllKey}</dt>
          <dd>
            <kbd>{words.controlKey} A</kbd>
            <kbd>⌘ A</kbd>
          </dd>
        </div>
      </dl>
    </>
  );
}

interface DeviceSwitchProps {
  readonly label: string;
  readonly hint: string;
  readonly choice: Store<boolean>;
}

function DeviceSwitch({ choice, ...words }: DeviceSwitchProps) {
  const isOn = useSyncExternalStore(choice.subscribe, choice.getSnapshot);
  return <Switch {...words} checked={isOn} onChange={choice.set} />;
}

/** Plays the sound once when it is switched on. */
const audibleSoundChoice: Store<boolean> = {
  ...soundChoice,
  set(isLoud) {
    soundChoice.set(isLoud);
    if (isLoud) playNotes();
  },
};

function DesktopSwitch() {
  const words = inboxDialogTexts.use().options;
  const isChosen = useSyncExternalStore(desktopChoice.subscribe, desktopChoice.getSnapshot);
  const [permission, setPermission] = useState(desktopPermission);
  const choose = async (wanted: boolean) => {
    // Browsers ask for permission only after a user gesture.
    const answer = wanted ? await Notification.requestPermission() : permission;
    setPermission(answer);
    desktopChoice.set(wanted && answer === 'granted');
  };
  return (
    <>
      <Switch
        label={words.desktop}
        hint={words.desktopHint}
        checked={isChosen && permission === 'granted'}
        onChange={(wanted) => void choose(wanted)}
      />
      <div role="status">
        {permission === 'denied' && <Message tone="warning">{words.desktopDenied}</Message>}
      </div>
    </>
  );
}
