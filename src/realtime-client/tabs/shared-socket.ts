import type { Timer, Unsubscribe } from '../../platform/platform.ts';
import { readJwtSubject } from '../../platform/jwt.ts';
import { binaryFrames } from '../broadcast/binary-frames.ts';
import { postgresChangesProtocol } from '../changes/protocol.ts';
import type { ShareConnection } from '../realtime-client.ts';
import { backoffDelayMs } from '../../platform/backoff.ts';
import { createConnectionStatus } from '../socket/connection-status.ts';
import type { ConnectOptions, Connection, TopicSink } from '../socket/connection.ts';
import { createPushes } from '../socket/push.ts';
import { createWaitingData } from '../socket/waiting-data.ts';
import { Membership, type TabTopic } from './membership.ts';
import { createSharedTopic } from './shared-topic.ts';

/**
 * Shares one socket among all tabs of a user; the value of the option `share`. The tab that holds the lock leads: it
 * owns the socket and forwards what it receives. Rows pass between tabs of one user only, tokens never. Where locks do
 * not reach other tabs, each tab has its own socket.
 *
 * @example
 * ```ts
 * import { createRealtimeClient } from 'supabase-protocol-clients/realtime-client';
 * import { shareSocket } from 'supabase-protocol-clients/realtime-client/shared-socket';
 *
 * const { getAccessToken, onTokenChange } = auth;
 * const connected = { url, apiKey, platform, getAccessToken, onTokenChange };
 * const realtime = createRealtimeClient<Database>({ ...connected, share: shareSocket });
 * ```
 */
export const shareSocket: ShareConnection = (options, connect) =>
  options.platform.locks.scope === 'realm' ? connect(options) : createSharedConnection(options, connect);

function createSharedConnection(
  options: ConnectOptions,
  connect: (options: ConnectOptions) => Connection,
): Connection {
  const { platform, settings, getAccessToken, onTokenChange, parts } = options;
  // Channels of other tabs, for which this tab may lead, can have features that its own channels lack.
  parts.binaryFrames = binaryFrames;
  parts.postgresChanges = postgresChangesProtocol;
  const { clock, page } = platform;
  const self = platform.random.bytes(8).join('-');
  const status = createConnectionStatus(clock, settings, platform.report);
  const topics = new Map<string, TabTopic>();
  /** The subject of the token; null after a sign-out or `close()`, undefined until the first token. */
  let user: string | null | undefined;
  let membership: Membership | undefined;
  let stops: readonly (Unsubscribe | undefined)[] | undefined;
  let lastPush = 0;
  let tokenTimer: Timer | undefined;

  const waiting = createWaitingData(options, () =>
    topics.forEach(({ shared, pushes }) => {
      pushes.discard();
      shared.onDiscard();
    }),
  );
  const switchUser = (next: string | null) => {
    tokenTimer?.cancel();
    if (next === user) return;
    membership?.leave();
    membership = undefined;
    user = next;
    if (next === null) {
      status.publish('idle', clock.now());
      return topics.forEach(({ shared }) => shared.signOut());
    }
    membership = new Membership({ options, connect, self, user: next, topics, status });
    membership.start();
  };
  const start = () => {
    stops = [
      onTokenChange?.((token) => {
        waiting.adopt(token);
        switchUser(token === null ? null : readJwtSubject(token));
      }),
      page.subscribe((signal) => {
        if (signal === 'pagehide') return membership?.stop();
        if (signal === 'hidden' || signal === 'offline') return;
        membership?.start();
        membership?.wake();
      }),
    ];
    void requestToken(0);
  };
  /**
   * The token's subject decides which tabs share a socket; tabs without a token share the anonymous one. Until the
   * token request succeeds the tab joins no group, because it may belong to a signed-in user.
   */
  const requestToken = async (attempt: number) => {
    const retryAfter = (delayMs: number) => {
      tokenTimer?.cancel();
      if (user === undefined) tokenTimer = clock.setTimer(() => void requestToken(attempt + 1), delayMs);
    };
    retryAfter(settings.timeoutMs);
    try {
      const token = await getAccessToken();
      if (user !== undefined) return;
      waiting.adopt(token);
      switchUser(readJwtSubject(token ?? ''));
    } catch (problem) {
      platform.report(problem);
      retryAfter(
        backoffDelayMs(
          attempt + 1,
          { delaysMs: settings.reconnectDelaysMs, jitter: settings.jitter },
          platform.random.number(),
        ),
      );
    }
  };
  return {
    ...status,
    get ignoredFrames() {
      return membership?.ignoredFrames ?? 0;
    },
    open(name: string, sink: TopicSink) {
      const onStatus: TopicSink['onStatus'] = (snapshot) => {
        sink.onStatus(snapshot);
        pushes.fail();
      };
      const shared = createSharedTopic({ ...sink, onStatus }, clock);
      const pushes = createPushes({
        clock,
        settings,
        isReady: () => membership?.isReady ?? false,
        failure: () => shared.snapshot.error,
        send(event, payload) {
          lastPush += 1;
          const id = `${self}:${lastPush}`;
          membership?.say({ kind: 'push', id, name, event, payload });
          return id;
        },
      });
      topics.set(name, { shared, pushes });
      return {
        push(event, payload) {
          waiting.claim();
          return pushes.push(event, payload);
        },
        claim: waiting.claim,
        send(event, payload) {
          membership?.say({ kind: 'send', name, event, payload });
        },
        track(entry) {
          shared.entry = entry;
          membership?.say({ kind: 'track', name, entry });
        },
        want(wanted, config) {
          const bindings = wanted && [...wanted.values()];
          shared.want(bindings, config);
          if (!bindings) pushes.close();
          if (user === null) shared.signOut();
          if (!stops && bindings) start();
          membership?.say({ kind: 'want', name, bindings, config, isRequested: true });
        },
      };
    },
    close() {
      tokenTimer?.cancel();
      membership?.leave();
      membership = undefined;
      user = null;
      stops?.forEach((stop) => stop?.());
      stops = [];
      waiting.close();
      // Publish `closed` before leaving the topics: listeners may call join().
      status.publish('closed', clock.now());
      topics.forEach(({ shared }) => shared.want(null, shared.config));
    },
  };
}
