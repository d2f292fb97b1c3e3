import { createDuplicateFilter } from './duplicate-filter.ts';

/** Maximum number of frames that wait for their hash, and maximum length of a frame that is kept for it. */
const maxWaiting = 512;
const maxKeptText = 2_000;

/**
 * Recognizes frames among the last 512 ones, which a restarted server may send again. A frame is hashed only once a commit
 * is not newer than all before, because a repeated frame is not: most frames never are.
 *
 * @param commit the commit time of the frame's change, if it has one.
 */
export function createRepetitionFilter(): (frame: string, commit: unknown) => boolean {
  const isDuplicate = createDuplicateFilter();
  let newestCommit = '';
  /** The latest frames, the oldest of which is replaced. */
  let waiting: (string | number)[] = [];
  let oldest = 0;
  const keyOf = (frame: string | number) => (typeof frame === 'string' ? hashText(frame) : frame);
  return (frame, commit) => {
    if (typeof commit !== 'string' || commit <= newestCommit) {
      for (const earlier of [...waiting.slice(oldest), ...waiting.slice(0, oldest)])
        isDuplicate(keyOf(earlier));
      waiting = [];
      oldest = 0;
      return isDuplicate(hashText(frame));
    }
    newestCommit = commit;
    waiting[oldest] = frame.length > maxKeptText ? hashText(frame) : frame;
    oldest = (oldest + 1) % maxWaiting;
    return false;
  };
}

/**
 * A 53-bit hash of a text, of two FNV-1a-like hashes of its even and its odd characters. Two texts that differ in characters
 * of one kind collide about once in 4·10⁹ pairs, others about once in 10¹³.
 */
function hashText(text: string): number {
  let even = 0x811c9dc5;
  let odd = text.length;
  for (let index = 0; index < text.length; index += 2) {
    even = Math.imul(even ^ text.charCodeAt(index), 0x01000193);
    // Beyond the end NaN counts as 0.
    odd = Math.imul(odd ^ text.charCodeAt(index + 1), 0x5bd1e995);
  }
  return (even >>> 11) * 0x1_0000_0000 + ((odd ^ (even << 13) ^ (even >>> 19)) >>> 0);
}
