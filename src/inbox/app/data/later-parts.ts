import type { Configuration } from '../../shared/clients/env.ts';
import { openUserOnline } from './user-online.ts';
import type { UserOnline, UserOnlineOptions } from './user-online.ts';

export interface LaterPartsOptions extends UserOnlineOptions, Pick<Configuration, 'pushPublicKey'> {
  /** The claim `session_id`. */
  readonly sessionId: string;
}

/** Starts what a signed-in page needs only after the first list: the renewal of the push subscription, and presence. */
export function startLaterParts(options: LaterPartsOptions): UserOnline {
  if (globalThis.Notification?.permission === 'granted') renewPush(options).catch(options.platform.report);
  return openUserOnline(options);
}

async function renewPush({ rest, platform, sessionId, pushPublicKey }: LaterPartsOptions): Promise<void> {
  if (pushPublicKey === null) return;
  const push = await import('./renew-push.ts');
  await push.renewPush({ rest, sessionId, publicKey: pushPublicKey, clock: platform.clock });
}
