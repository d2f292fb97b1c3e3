import type { Clock, Socket } from '../../src/platform/platform.ts';
import { createIdleSocket } from '../support/wire/frames.ts';

/** Queues everything that happens to a tab between `freeze` and `thaw`. */
export function createFreezer() {
  let missed: (() => void)[] | null = null;
  const run = (task: () => void) => void (missed ? missed.push(task) : task());
  return {
    run,
    isFrozen: () => missed !== null,
    freeze() {
      missed ??= [];
    },
    thaw() {
      const tasks = missed ?? [];
      missed = null;
      for (const task of tasks) task();
    },
    chill: (clock: Clock): Clock => ({
      ...clock,
      setTimer(callback, delayMs) {
        let isCancelled = false;
        const timer = clock.setTimer(() => run(() => isCancelled || callback()), delayMs);
        return {
          cancel() {
            isCancelled = true;
            timer.cancel();
          },
        };
      },
    }),
    chillSocket(socket: Socket): Socket {
      const chilled: Socket = { ...createIdleSocket(), send: socket.send, close: socket.close };
      socket.onOpen = () => run(() => chilled.onOpen?.());
      socket.onMessage = (data) => run(() => chilled.onMessage?.(data));
      socket.onClose = (close) => run(() => chilled.onClose?.(close));
      return chilled;
    },
  };
}
