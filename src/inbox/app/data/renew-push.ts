import { createPushDevice, findPushBrowser } from '../../features/push/push-subscription.ts';
import type { PushDeviceOptions } from '../../features/push/push-subscription.ts';

/**
 * Sends this device's push subscription to the server once per visit, because browsers renew subscriptions on their own.
 */
export async function renewPush(options: Omit<PushDeviceOptions, 'browser'>): Promise<void> {
  const browser = findPushBrowser();
  if (browser) await createPushDevice({ ...options, browser }).renew();
}
