import type { FakeTab, FakeWorld } from '../fake-platform.ts';
import { acceptBindings, parseFrame, subscribed } from './frames.ts';

/** What the server does with a join: accept it (null), or refuse it with this reason. */
export type JoinVerdict = string | null;

/** How long the real server takes to answer a refused join; it processes nothing else of the socket meanwhile. */
const refusalMs = 5_000;

/**
 * The server's side of a tab's sockets with the timing of the real one: frames of a socket are processed in order, and
 * a refused join blocks the socket.
 */
export function createSlowServer(
  world: FakeWorld,
  tab: FakeTab,
  verdict: (join: {
    readonly topic: string;
    readonly token: unknown;
    readonly joined: number;
  }) => JoinVerdict,
) {
  const joined = new Set<string>();
  const joins: string[] = [];
  let processed = 0;
  let freeAtMs = 0;
  const receive = (...frame: unknown[]) => tab.sockets.at(-1)?.receive(JSON.stringify(frame));
  const process = (data: string) => {
    const frame = parseFrame(data);
    const { joinRef, ref, topic, event, payload } = frame;
    if (event === 'heartbeat') receive(null, ref, topic, 'phx_reply', { status: 'ok', response: {} });
    if (event === 'phx_leave') joined.delete(topic);
    if (event !== 'phx_join') return;
    joins.push(topic);
    const answer = verdict({ topic, token: payload['access_token'], joined: joined.size });
    if (answer === null) {
      joined.add(topic);
      const bindings = acceptBindings(frame, 0);
      receive(joinRef, ref, topic, 'phx_reply', { status: 'ok', response: { postgres_changes: bindings } });
      if (bindings.length > 0) receive(joinRef, null, topic, 'system', subscribed);
      return;
    }
    freeAtMs = world.clock.now() + refusalMs;
    tab.clock.setTimer(
      () => receive(joinRef, ref, topic, 'phx_reply', { status: 'error', response: { reason: answer } }),
      refusalMs,
    );
  };
  return {
    joined,
    /** The topics of all joins, in order. */
    joins,
    /** Advances the clock and processes what the tab sends meanwhile. */
    async run(ms: number) {
      const end = world.clock.now() + ms;
      while (world.clock.now() < end) {
        const socket = tab.sockets.at(-1);
        if (socket?.state === 'connecting') socket.open();
        await world.clock.advance(50);
        const sent = socket?.sent ?? [];
        while (processed < sent.length && world.clock.now() >= freeAtMs) {
          process(String(sent[processed]));
          processed += 1;
        }
      }
    },
  };
}
