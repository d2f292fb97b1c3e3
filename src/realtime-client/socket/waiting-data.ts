import { CallUser } from '../../platform/call-user.ts';
import type { Unsubscribe } from '../../platform/platform.ts';
import type { ConnectOptions } from './connection.ts';

/** The user of the pushes, broadcasts and presence entries that wait in a connection. */
export interface WaitingData {
  /** Binds data that waits from now on to the user of the present token. */
  claim(): void;
  /** Compares the user of a token that the connection received or joins with. */
  adopt(token: string | null): void;
  close(): void;
}

/** @param discard called when another user signs in, or the session ends. */
export function createWaitingData(
  {
    getAccessToken,
    onTokenChange,
    platform: { report },
  }: Pick<ConnectOptions, 'getAccessToken' | 'onTokenChange' | 'platform'>,
  discard: () => void,
): WaitingData {
  let user = new CallUser();
  let isUserKnown = false;
  let stop: Unsubscribe | undefined;
  const adopt = (token: string | null) => {
    isUserKnown = true;
    if (user.admits(token)) return;
    user = new CallUser();
    user.admits(token);
    discard();
  };
  const requestToken = async () => {
    isUserKnown = true;
    const userAtRequest = user;
    try {
      const token = await getAccessToken({ user });
      // A token that arrived meanwhile is newer.
      if (userAtRequest === user) adopt(token);
    } catch (problem) {
      isUserKnown = false;
      report(problem);
    }
  };
  return {
    adopt,
    claim() {
      stop ??= onTokenChange?.(adopt);
      if (!isUserKnown) void requestToken();
    },
    close: () => stop?.(),
  };
}
