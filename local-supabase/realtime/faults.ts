import type { Channel } from './channel/channel.ts';
import type { Delivery } from './changes/delivery.ts';
import type { SocketServer } from './socket/socket-server.ts';

/** What can go wrong on command. Latency, drop rate and delays are settings: `RealtimeService.configure`. */
export interface RealtimeFaults {
  /** Cuts every socket without a closing handshake; the client sees 1006. */
  dropSockets(): void;
  /** Every open socket falls silent in both directions but stays open. */
  swallowFrames(): void;
  /** Refuses new handshakes with this HTTP status; null lets them in again. */
  refuseUpgrades(status: number | null): void;
  /** The server asks everyone to leave: `Server requested disconnect`, then close 1012. */
  requestDisconnect(): void;
  /** Ends every channel as if its token had expired now. Sockets stay open. */
  expireTokens(): void;
  /** Looks at every token again, after the clock was moved. */
  checkTokens(): Promise<void>;
  /** Ends every channel with `phx_error`, as a crash of it does. */
  crashChannels(): void;
  /** Keeps committed changes in the outbox until released. */
  holdDelivery(held: boolean): void;
  /** The process dies: sockets are cut, subscriptions forgotten, and what is not delivered stays in the outbox. */
  kill(): Promise<void>;
  /** The process is back, and reads the outbox first. */
  recover(): Promise<void>;
}

export interface FaultTargets {
  readonly sockets: SocketServer;
  readonly delivery: Delivery;
}

export function createRealtimeFaults({ sockets, delivery }: FaultTargets): RealtimeFaults {
  const everyChannel = (): Channel[] =>
    [...sockets.connections].flatMap(({ channels }) => Array.from(channels.values()));
  const dropSockets = () => {
    for (const connection of sockets.connections) connection.terminate();
  };
  return {
    dropSockets,
    swallowFrames() {
      for (const connection of sockets.connections) connection.swallow();
    },
    refuseUpgrades: sockets.refuseWith,
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
    holdDelivery: delivery.hold,
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
