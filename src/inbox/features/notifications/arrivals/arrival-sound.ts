import type { Platform } from 'supabase-protocol-clients/platform';

/** How long the tab that plays the sound keeps the lock, so that the other tabs stay silent. */
const quietMs = 2_000;
/** After this wait another tab has the lock and plays the sound. */
const giveUpMs = 200;

/** Two soft notes, rising. */
const notes = [
  { frequencyHz: 660, fromSeconds: 0, seconds: 0.14 },
  { frequencyHz: 880, fromSeconds: 0.12, seconds: 0.28 },
] as const;
const loudness = 0.08;

/** Plays the sound in one tab of all that received the same arrival. */
export async function playArrivalSound({ clock, locks }: Pick<Platform, 'clock' | 'locks'>): Promise<void> {
  // Browsers block sound before the first user gesture; such a page must not take the lock from one that can play.
  if (!navigator.userActivation?.hasBeenActive) return;
  const waiting = new AbortController();
  const timer = clock.setTimer(() => waiting.abort(), giveUpMs);
  const sound = async () => {
    timer.cancel();
    playNotes();
    await new Promise<void>((resolve) => void clock.setTimer(resolve, quietMs));
  };
  await locks.hold('notification-sound', sound, { signal: waiting.signal }).catch((problem: unknown) => {
    if (!waiting.signal.aborted) throw problem;
  });
}

export function playNotes(): void {
  const context = new AudioContext();
  const last = notes.map(({ frequencyHz, fromSeconds, seconds }) => {
    const start = context.currentTime + fromSeconds;
    const oscillator = new OscillatorNode(context, { frequency: frequencyHz });
    const gain = new GainNode(context, { gain: loudness });
    gain.gain.setValueAtTime(loudness, start);
    gain.gain.exponentialRampToValueAtTime(0.001, start + seconds);
    oscillator.connect(gain).connect(context.destination);
    oscillator.start(start);
    oscillator.stop(start + seconds);
    return oscillator;
  });
  last.at(-1)?.addEventListener('ended', () => void context.close());
}
