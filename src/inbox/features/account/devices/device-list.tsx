import { useEffect, useMemo, useState } from 'react';
import { useClients, useRest } from '../../../shared/clients/clients-context.ts';
import { Button } from '../../../ui/button.tsx';
import { SlowNote } from '../../../ui/form/slow-note.tsx';
import { FormMessages } from '../../../ui/page/message.tsx';
import { Skeleton } from '../../../ui/spinner.tsx';
import { useLanguage } from '../../../ui/texts.ts';
import { createAccountApi, type Device } from '../account-api.ts';
import layout from '../../../ui/layout.module.css';
import styles from '../account.module.css';
import { accountTexts, type AccountTexts } from '../account-texts.ts';
import { endedSessions } from '../ended-sessions.ts';
import { parseUserAgent } from './user-agent.ts';

/** The number of devices that are shown at first. */
const shownAtFirst = 3;

/** Each device by its browser, system, address and first and last use; each but this one can be signed out. */
export function DeviceList() {
  const texts = accountTexts.use();
  const { devices, ending, news, problem, end } = useDevices();
  const [areAllShown, setAreAllShown] = useState(false);
  const shown = areAllShown ? devices : devices?.slice(0, shownAtFirst);
  return (
    <>
      <FormMessages error={problem} success={news} />
      {shown ? (
        <ul className={layout.list}>
          {shown.map((device) => (
            <DeviceRow
              key={device.id}
              device={device}
              pending={ending === device.id}
              onEnd={() => void end(device)}
            />
          ))}
        </ul>
      ) : (
        problem === undefined && <Skeleton height="64px" />
      )}
      {devices && shown && shown.length < devices.length && (
        <Button look="link" onClick={() => setAreAllShown(true)}>
          {texts.allDevices(devices.length)}
        </Button>
      )}
      <SlowNote pending={devices === undefined && problem === undefined} />
    </>
  );
}

function useDevices() {
  const texts = accountTexts.use();
  const { platform } = useClients();
  const rest = useRest();
  const api = useMemo(() => createAccountApi(rest), [rest]);
  const [devices, setDevices] = useState<readonly Device[]>();
  const [state, setState] = useState<{ ending?: string; news?: string; problem?: string }>({});
  useEffect(() => {
    const controller = new AbortController();
    const read = () =>
      api.listDevices(controller.signal).then(setDevices, (problem: unknown) => {
        if (controller.signal.aborted) return;
        platform.report(problem);
        setState({ problem: texts.devicesFailed });
      });
    void read();
    const stop = endedSessions.subscribe(() => void read());
    return () => {
      stop();
      controller.abort();
    };
  }, [api, platform, texts]);
  const end = async (device: Device) => {
    setState({ ending: device.id });
    try {
      await api.endDevice(device.id);
      setDevices((known) => known?.filter(({ id }) => id !== device.id));
      setState({ news: texts.deviceEnded(nameOf(device, texts)) });
    } catch (problem) {
      platform.report(problem);
      setState({ problem: texts.deviceEndFailed });
    }
  };
  return { devices, ...state, end };
}

interface DeviceRowProps {
  readonly device: Device;
  readonly pending: boolean;
  readonly onEnd: () => void;
}

function DeviceRow({ device, pending, onEnd }: DeviceRowProps) {
  const texts = accountTexts.use();
  const language = useLanguage();
  const time = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
  const date = new Intl.DateTimeFormat(language, { dateStyle: 'medium' });
  const name = nameOf(device, texts);
  return (
    <li className={styles.item}>
      <span className={styles.itemText}>
        <span>{name}</span>
        <span className={styles.itemHint}>
          {device.isCurrent ? texts.deviceHere : texts.deviceUsed(time.format(device.lastActiveAtMs))}
          <br />
          {texts.deviceSince(date.format(device.signedInAtMs), device.ip)}
        </span>
      </span>
      {!device.isCurrent && (
        <Button aria-label={texts.deviceEndName(name)} pending={pending} onClick={onEnd}>
          {texts.deviceEnd}
        </Button>
      )}
    </li>
  );
}

function nameOf({ userAgent }: Device, texts: AccountTexts): string {
  const { browser, system } = parseUserAgent(userAgent);
  return browser && system ? texts.deviceName(browser, system) : (browser ?? system ?? texts.deviceUnknown);
}
