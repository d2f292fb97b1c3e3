import { arePageAlertsOn, pageAlerts } from '../../shared/page-alerts.ts';
import { PushServiceError, type PushDevice } from './push-subscription.ts';

/** `while-open`: by an open page in the background, without push messages; `denied`: the user refused the permission. */
export type AlertsState = 'on' | 'while-open' | 'off' | 'denied';

/** The alerts of this device: by push messages, else by the open page. */
export interface DeviceAlerts {
  /** Returns the state as far as it is known without a wait, which excludes the push subscription. */
  readNow(): AlertsState;
  /** Waits for the service worker, which a first visit registers when the page is idle. */
  read(): Promise<AlertsState>;
  /**
   * Asks for the permission. Call it on a click: browsers refuse to ask otherwise. Where the browser cannot subscribe to push
   * messages, the open page shows the alerts.
   *
   * @throws {RestError} if the server cannot be reached.
   */
  turnOn(): Promise<AlertsState>;
  /** @throws {RestError} if the server cannot be reached. */
  turnOff(): Promise<AlertsState>;
}

/** @param push null where the project or the browser has no push messages. */
export function createDeviceAlerts(push: PushDevice | null): DeviceAlerts {
  const readNow = () => {
    if (Notification.permission === 'denied') return 'denied';
    return arePageAlertsOn() ? 'while-open' : 'off';
  };
  /** Only one of the two shows an alert. */
  const settle = (state: AlertsState) => {
    pageAlerts.set(state === 'while-open');
    return state;
  };
  return {
    readNow,
    async read() {
      return push && (await push.read()) === 'on' ? settle('on') : readNow();
    },
    async turnOn() {
      if (!push) {
        const permission = await Notification.requestPermission();
        return settle(permission === 'granted' ? 'while-open' : permission === 'denied' ? 'denied' : 'off');
      }
      try {
        return settle(await push.subscribe());
      } catch (problem) {
        if (problem instanceof PushServiceError) return settle('while-open');
        throw problem;
      }
    },
    async turnOff() {
      await push?.unsubscribe();
      return settle('off');
    },
  };
}
