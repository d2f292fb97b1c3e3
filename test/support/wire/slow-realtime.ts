import type { FakeTab, FakeWorld } from '../fake-platform.ts';
import { acceptBindings, parseFrame, subscribed, type Frame } from './frames.ts';

/** What the server does with a join: accept it (null), or refuse it with this reason. */
export type JoinVerdict = string | null;

/** How long the real server takes to reply to a refused join; it processes nothing else of the socket meanwhile. */
const refusalMs = 5_000;

/**
 * The server's side of a tab's sockets with the timing of the real one: what a socket receives and what is sent to it are
 * processed in one order, and a refused join blocks both.
 */
export function createSlowServer(
  world: FakeWorld,
  tab: FakeTab,
  verdict: (join: {
    readonly topic: string;
    readonly token: unknown;
    readonly joined: number;
  }) => JoinVerdict,
  { confirmMs = 0, leaveMs = 0 } = {},
) {
  const joined = new Set<string>();
  const joins: string[] = [];
  const leaves: string[] = [];
  let mailbox: (() => void)[] = [];
  let received = 0;
  let sockets = 0;
  let freeAtMs = 0;
  const send = (...frame: unknown[]) => tab.sockets.at(-1)?.receive(JSON.stringify(frame));
  const respond = (frame: Frame) => {
    const { joinRef, ref, topic } = frame;
    joined.add(topic);
    const bindings = acceptBindings(frame, 0);
    send(joinRef, ref, topic, 'phx_reply', { status: 'ok', response: { postgres_changes: bindings } });
    if (bindings.length === 0) return;
    const confirm = () => send(joinRef, null, topic, 'system', subscribed);
    if (confirmMs === 0) confirm();
    else tab.clock.setTimer(() => mailbox.push(confirm), confirmMs);
  };
  const process = (frame: Frame) => {
    const { joinRef, ref, topic, event, payload } = frame;
    if (event === 'heartbeat') send(null, ref, topic, 'phx_reply', { status: 'ok', response: {} });
    if (event === 'phx_leave') {
      leaves.push(topic);
      tab.clock.setTimer(() => joined.delete(topic), leaveMs);
    }
    if (event !== 'phx_join') return;
    joins.push(topic);
    const reason = verdict({ topic, token: payload['access_token'], joined: joined.size });
    if (reason === null) return respond(frame);
    freeAtMs = world.clock.now() + refusalMs;
    mailbox.unshift(() => send(joinRef, ref, topic, 'phx_reply', { status: 'error', response: { reason } }));
  };
  const openNewest = () => {
    const socket = tab.sockets.at(-1);
    if (socket?.state === 'connecting') socket.open();
    if (sockets === tab.sockets.length) return;
    sockets = tab.sockets.length;
    received = 0;
    mailbox = [];
    joined.clear();
  };
  return {
    joined,
    /** The topics of all joins, in order. */
    joins,
    /** The topics that the client left, in order. */
    leaves,
    /** Advances the clock and processes what the tab sends meanwhile. */
    async run(ms: number) {
      const end = world.clock.now() + ms;
      while (world.clock.now() < end) {
        openNewest();
        await world.clock.advance(50);
        const sent = tab.sockets.at(-1)?.sent ?? [];
        for (; received < sent.length; received += 1) {
          const frame = parseFrame(String(sent[received]));
          mailbox.push(() => process(frame));
        }
        while (world.clock.now() >= freeAtMs && mailbox.length > 0) mailbox.shift()?.();
      }
    },
  };
}
