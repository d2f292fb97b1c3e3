import { createDuplicateFilter } from './duplicate-filter.ts';
import { hashText } from './text-hash.ts';

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
