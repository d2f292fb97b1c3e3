import { useSyncExternalStore } from 'react';
import type { Observable } from 'supabase-protocol-clients/platform';
import { Button } from '../../../ui/button.tsx';
import layout from '../../../ui/layout.module.css';
import { Dialog } from '../../../ui/overlay/dialog.tsx';
import { Switch } from '../../../ui/form/switch.tsx';
import styles from './inbox-options.module.css';
import { useInboxServices } from '../data/inbox-context.ts';
import { groupingChoice } from '../list/use-list-entries.ts';
import { inboxDialogTexts } from '../texts/inbox-dialog-texts.ts';
import { SampleButton } from '../sample/sample-button.tsx';
import { inboxTexts } from '../texts/inbox-texts.ts';
import { shortcutKeys, shortcutsEnabled, type Shortcut } from '../actions/shortcuts.ts';

const isApple = /mac|iphone|ipad/i.test(globalThis.navigator?.userAgent ?? '');
const arrows: Readonly<Record<string, string>> = { ArrowDown: '↓', ArrowUp: '↑' };

export interface InboxOptionsProps {
  readonly onClose: () => void;
  readonly onSelect: () => void;
  readonly onInvite: () => void;
  /** Shows the keyboard shortcuts. */
  readonly onKeys: () => void;
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

/** The settings of this device; on phones also the actions that the toolbar has no room for. The keys are under `?`. */
export function InboxOptions({ onClose, onSelect, onInvite, onKeys }: InboxOptionsProps) {
  const texts = inboxTexts.use();
  const words = inboxDialogTexts.use().options;
  const { InviteDialog } = useInboxServices();
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
        <DeviceSwitch label={words.grouping} hint={words.groupingHint} choice={groupingChoice} />
        <Button look="link" className={styles.keysButton} onClick={onKeys}>
          {words.shortcuts}
        </Button>
        {SampleButton && <SampleButton wide />}
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
            <kbd>{isApple ? '⌘' : words.controlKey} A</kbd>
          </dd>
        </div>
      </dl>
    </>
  );
}

interface DeviceSwitchProps {
  readonly label: string;
  readonly hint: string;
  readonly choice: Observable<boolean>;
}

function DeviceSwitch({ choice, ...words }: DeviceSwitchProps) {
  const isOn = useSyncExternalStore(choice.subscribe, choice.getSnapshot);
  return <Switch {...words} checked={isOn} onChange={choice.set} />;
}
