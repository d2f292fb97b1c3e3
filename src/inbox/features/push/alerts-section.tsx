import { useEffect, useMemo, useState } from 'react';
import { useSession } from 'supabase-protocol-clients/react';
import { useClients, useConfiguration, useRest } from '../../shared/clients/clients-context.ts';
import { readSessionId } from '../../shared/token-claims.ts';
import { Switch } from '../../ui/form/switch.tsx';
import { Message } from '../../ui/page/message.tsx';
import { Section } from '../../ui/section.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { useDelay } from '../../ui/state/use-delay.ts';
import { createDeviceAlerts, type AlertsState } from './device-alerts.ts';
import { PushDevice, findPushBrowser } from './push-subscription.ts';
import styles from './push.module.css';
import { pushTexts } from './push-texts.ts';

/** A browser that takes longer to subscribe shows a message. */
const slowMs = 500;

/** The alerts of this device. Renders nothing where the browser has none. */
export function AlertsSection() {
  return 'Notification' in globalThis && <KnownAlertsSection />;
}

function KnownAlertsSection() {
  const texts = pushTexts.use();
  const { state, problem, pending, hasPush, change } = useAlerts();
  const isSlow = useDelay(pending === 'on', slowMs);
  const message =
    state === 'denied' ? texts.denied : state === 'while-open' && hasPush ? texts.noPushService : problem;
  return (
    <Section title={texts.title}>
      <Switch
        label={texts.label}
        hint={hasPush ? texts.hint : texts.hintWhileOpen}
        checked={state === 'on' || state === 'while-open'}
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

function useAlerts() {
  const texts = pushTexts.use();
  const { platform } = useClients();
  const rest = useRest();
  const session = useSession();
  const sessionId = session ? readSessionId(session) : '';
  const { pushPublicKey: publicKey } = useConfiguration();
  const browser = useMemo(() => findPushBrowser(), []);
  const hasPush = browser !== null && publicKey !== null;
  const alerts = useMemo(
    () =>
      createDeviceAlerts(
        browser && publicKey
          ? new PushDevice({ rest, sessionId, publicKey, browser, clock: platform.clock })
          : null,
      ),
    [rest, sessionId, publicKey, browser, platform],
  );
  const [state, setState] = useState<AlertsState>(alerts.readNow);
  const [problem, setProblem] = useState<string | null>(null);
  const [pending, setPending] = useState<'on' | 'off' | null>(null);
  useEffect(() => {
    let isCurrent = true;
    alerts.read().then((read) => isCurrent && setState(read), platform.report);
    return () => {
      isCurrent = false;
    };
  }, [alerts, platform]);
  const change = async (isOn: boolean) => {
    setPending(isOn ? 'on' : 'off');
    setProblem(null);
    try {
      setState(await (isOn ? alerts.turnOn() : alerts.turnOff()));
    } catch (failure) {
      platform.report(failure);
      setProblem(isOn ? texts.failed : texts.stopFailed);
    }
    setPending(null);
  };
  return { state, problem, pending, hasPush, change };
}
