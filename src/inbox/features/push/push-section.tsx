import { useEffect, useMemo, useState } from 'react';
import { useSession } from 'supabase-protocol-clients/react';
import { useClients, useConfiguration, useRest } from '../../shared/clients/clients-context.ts';
import { readSessionId } from '../../shared/token-claims.ts';
import { Switch } from '../../ui/form/switch.tsx';
import { Message } from '../../ui/page/message.tsx';
import { Section } from '../../ui/section.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { useDelay } from '../../ui/state/use-delay.ts';
import { createPushDevice, findPushBrowser, PushServiceError, type PushState } from './push-subscription.ts';
import styles from './push.module.css';
import { pushTexts } from './push-texts.ts';

/** A browser that takes longer to subscribe shows a message. */
const slowMs = 500;

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
    return browser && publicKey
      ? createPushDevice({ rest, sessionId, publicKey, browser, clock: platform.clock })
      : null;
  }, [rest, sessionId, publicKey, platform]);
  const [state, setState] = useState<PushState | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [pending, setPending] = useState<'on' | 'off' | null>(null);
  const isSlow = useDelay(pending === 'on', slowMs);
  useEffect(() => {
    let isCurrent = true;
    device?.read().then((read) => isCurrent && setState(read), platform.report);
    return () => {
      isCurrent = false;
    };
  }, [device, platform]);
  if (!device || state === null) return null;
  const change = async (isOn: boolean) => {
    setPending(isOn ? 'on' : 'off');
    setProblem(null);
    try {
      setState(await (isOn ? device.subscribe() : device.unsubscribe()));
    } catch (failure) {
      if (failure instanceof PushServiceError) setProblem(texts.noPushService);
      else {
        platform.report(failure);
        setProblem(isOn ? texts.failed : texts.stopFailed);
      }
    }
    setPending(null);
  };
  const message = state === 'denied' ? texts.denied : problem;
  return (
    <Section title={texts.title}>
      <Switch
        label={texts.label}
        hint={texts.hint}
        checked={state === 'on'}
        disabled={pending !== null}
        onChange={(isOn) => void change(isOn)}
      />
      <div role="status">
        {isSlow && (
          <p className={styles.asking}>
            <Spinner />
            <span>{texts.asking}</span>
          </p>
        )}
        {message && (
          <Message tone="warning">
            <span>{message}</span>
          </Message>
        )}
      </div>
    </Section>
  );
}
