import { useEffect, useMemo, useState } from 'react';
import { useSession } from '../../react/index.ts';
import { useClients, useConfiguration, useRest } from '../../shared/clients/clients-context.ts';
import { readSessionId } from '../../shared/token-claims.ts';
import { Switch } from '../../ui/form/switch.tsx';
import { Message } from '../../ui/page/message.tsx';
import { createPushDevice, findPushBrowser, PushServiceError } from './push-subscription.ts';
import type { PushState } from './push-subscription.ts';
import styles from './push.module.css';
import { pushTexts } from './texts/push-texts.ts';

/** Alerts of this device while no tab is open. Nothing where the project or the browser has no push messages. */
export function PushSection() {
  const texts = pushTexts.use();
  const { platform } = useClients();
  const rest = useRest();
  const session = useSession();
  const sessionId = session ? readSessionId(session) : '';
  const { pushPublicKey: publicKey } = useConfiguration();
  const device = useMemo(() => {
    const browser = findPushBrowser();
    return browser && publicKey ? createPushDevice({ rest, sessionId, publicKey, browser }) : null;
  }, [rest, sessionId, publicKey]);
  const [state, setState] = useState<PushState | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  useEffect(() => {
    let isCurrent = true;
    device?.read().then((read) => isCurrent && setState(read), platform.report);
    return () => {
      isCurrent = false;
    };
  }, [device, platform]);
  if (!device || state === null) return null;
  const change = async (isOn: boolean) => {
    setIsBusy(true);
    setProblem(null);
    try {
      setState(await (isOn ? device.subscribe() : device.unsubscribe()));
    } catch (failure) {
      platform.report(failure);
      if (failure instanceof PushServiceError) setProblem(texts.noPushService);
      else setProblem(isOn ? texts.failed : texts.stopFailed);
    }
    setIsBusy(false);
  };
  const message = state === 'denied' ? texts.denied : problem;
  return (
    <section className={styles.section}>
      <h2>{texts.title}</h2>
      <div className={styles.card}>
        <Switch
          label={texts.label}
          hint={texts.hint}
          checked={state === 'on'}
          disabled={isBusy}
          onChange={(isOn) => void change(isOn)}
        />
      </div>
      <div role="status">
        {message && (
          <Message tone="warning">
            <span>{message}</span>
          </Message>
        )}
      </div>
    </section>
  );
}
