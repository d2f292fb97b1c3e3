import type { Platform } from '../../../platform/platform.ts';

/** How long the tab that sounds keeps the others silent. */
const quietMs = 2_000;
/** By then it is another tab that sounds. */
const giveUpMs = 200;

/** Two soft notes, rising. */
const notes = [
  { frequencyHz: 660, fromSeconds: 0, seconds: 0.14 },
  { frequencyHz: 880, fromSeconds: 0.12, seconds: 0.28 },
] as const;
const loudness = 0.08;

/** Sounds in one tab of all that were told of the same news. */
export async function playArrivalSound({ clock, locks }: Pick<Platform, 'clock' | 'locks'>): Promise<void> {
  // A page that nobody has touched may make no sound, and must not keep one that may from it.
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
