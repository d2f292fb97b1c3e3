import type { SlotFault } from './changes/replication-slot.ts';
import type { Channel } from './channel/channel.ts';
import type { MessageReplication } from './message-replication.ts';
import type { Delivery } from './changes/delivery.ts';
import type { RealtimeSettings } from './settings.ts';
import type { SocketServer } from './socket/socket-server.ts';

/** Failures on command. Latency, drop rate, limits and delays are settings: `RealtimeService.configure`. */
export interface RealtimeFaults {
  /** Ends every socket without a closing handshake; the client gets the code 1006. */
  dropSockets(): void;
  /** Makes every open socket half-open: silent in both directions, but not closed. */
  swallowFrames(): void;
  /** Refuses new handshakes with this HTTP status; null admits them again. */
  refuseUpgrades(status: number | null): void;
  /** Sends `Server requested disconnect` to every channel, then closes every socket with 1012. */
  requestDisconnect(): void;
  /** Ends every channel as if its token had expired now. Sockets stay open. */
  expireTokens(): void;
  /** Verifies every token again, after a change of the clock. */
  checkTokens(): Promise<void>;
  /** Ends every channel with `phx_error`, as a crash of the channel does. */
  crashChannels(): void;
  /** While paused, committed changes stay in the outbox. */
  pauseDelivery(isPaused: boolean): void;
  /**
   * Sets the state of the replication slot. `ended`, `waiting` and `refused` lose the changes that are committed in
   * this state, although subscriptions still report `Subscribed to PostgreSQL`. `available` creates a new slot; after
   * `ended` and `refused` every channel subscribes again, as after a restart of the real poller.
   */
  setSlot(fault: SlotFault): Promise<void>;
  /**
   * Stops the replication of the database's messages, or starts it again. While it is stopped, broadcasts from the
   * database are lost without a message to channels, and joins that request the replication wait.
   */
  setMessageReplication(isRunning: boolean): void;
  /** The average number of changes per second above which changes are dropped without notice; null restores the setting. */
  limitEvents(perSecond: number | null): void;
  /** Stops or starts PostgreSQL. While it is down, there is no slot and joins are refused. Sockets stay open. */
  setDatabaseAvailable(isAvailable: boolean): Promise<void>;
  /** Simulates a killed process: sockets end, subscriptions are lost, undelivered changes stay in the outbox. */
  kill(): Promise<void>;
  /** Starts the process again. */
  recover(): Promise<void>;
}

export interface FaultTargets {
  readonly sockets: SocketServer;
  readonly delivery: Delivery;
  readonly replication: MessageReplication;
  readonly settings: () => RealtimeSettings;
  readonly configure: (settings: Partial<RealtimeSettings>) => void;
  /** Makes every channel subscribe again, after a delay if the poller has ended. */
  readonly renewChannels: (isDelayed: boolean) => void;
}

export function createRealtimeFaults(targets: FaultTargets): RealtimeFaults {
  const { sockets, delivery, replication, settings, configure, renewChannels } = targets;
  const { maxEventsPerSecond } = settings();
  let slot: SlotFault = 'available';
  const everyChannel = (): Channel[] =>
    [...sockets.connections].flatMap(({ channels }) => Array.from(channels.values()));
  const dropSockets = () => {
    for (const connection of sockets.connections) connection.terminate();
  };
  const setSlot = async (next: SlotFault) => {
    const previous = slot;
    slot = next;
    await delivery.setSlotFault(next);
    if (next === 'available' && (previous === 'ended' || previous === 'refused')) renewChannels(true);
  };
  return {
    dropSockets,
    swallowFrames() {
      for (const connection of sockets.connections) connection.swallow();
    },
    refuseUpgrades: (status) => sockets.refuseWith(status),
    requestDisconnect() {
      for (const channel of everyChannel()) channel.system('ok', 'Server requested disconnect');
      for (const connection of sockets.connections) connection.close(1012);
    },
    expireTokens() {
      for (const channel of everyChannel()) channel.expire();
    },
    async checkTokens() {
      await Promise.all(everyChannel().map((channel) => channel.checkToken()));
    },
    crashChannels() {
      for (const channel of everyChannel()) channel.close('phx_error');
    },
    pauseDelivery: (isPaused) => delivery.setPaused(isPaused),
    setSlot,
    setMessageReplication: replication.setRunning,
    limitEvents: (perSecond) => configure({ maxEventsPerSecond: perSecond ?? maxEventsPerSecond }),
    setDatabaseAvailable(isAvailable) {
      configure({ databaseUnavailable: !isAvailable });
      return setSlot(isAvailable ? 'available' : 'ended');
    },
    async kill() {
      const stopped = delivery.stop();
      sockets.refuseWith(503);
      dropSockets();
      await stopped;
    },
    async recover() {
      await delivery.start();
      sockets.refuseWith(null);
    },
  };
}
