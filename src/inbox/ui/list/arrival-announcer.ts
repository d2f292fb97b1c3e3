import type { Clock, Timer } from 'supabase-protocol-clients/platform';

/** Batches arrivals into announcements, at most one per interval, so that a burst is read out once. */
export function createAnnouncer(clock: Clock, announce: (count: number) => void, intervalMs = 5_000) {
  let pending = 0;
  let timer: Timer | null = null;
  const flush = () => {
    timer = null;
    if (pending === 0) return;
    const count = pending;
    pending = 0;
    announce(count);
    timer = clock.setTimer(flush, intervalMs);
  };
  return {
    add(count: number) {
      pending += count;
      // A burst arrives over several frames; a short first wait makes it one announcement.
      if (count > 0) timer ??= clock.setTimer(flush, 500);
    },
    close() {
      timer?.cancel();
      pending = 0;
    },
  };
}
