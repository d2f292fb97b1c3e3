import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeRows } from '../../src/realtime-client/changes/merged-rows.ts';
import { createRepetitionFilter } from '../../src/realtime-client/changes/repetitions.ts';

describe('the filter of repeated frames', () => {
  it('recognizes each of the last 512 frames, in whatever order their commits arrive', () => {
    const frame = fc.record({ commit: fc.nat({ max: 6 }), row: fc.nat({ max: 6 }) });
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 60 }), fc.boolean(), (frames, areLong) => {
        const isRepetition = createRepetitionFilter();
        const seen = new Set<string>();
        for (const { commit, row } of frames) {
          const text = `${areLong ? 'x'.repeat(3_000) : ''}${commit}:${row}`;
          expect(isRepetition(text, `2026-01-01T00:00:0${commit}.000Z`)).toBe(seen.has(text));
          seen.add(text);
        }
      }),
    );
  });

  it('keeps the last 512 frames, and forgets a frame after 1,024 later ones', () => {
    const isRepetition = createRepetitionFilter();
    const frames = Array.from({ length: 2_000 }, (_, index) => `frame ${index}`);
    frames.forEach((frame, index) => isRepetition(frame, new Date(index).toISOString()));
    expect(frames.slice(-512).every((frame) => isRepetition(frame, new Date(0).toISOString()))).toBe(true);
    expect(isRepetition('frame 0', new Date(0).toISOString())).toBe(false);
  });

  it('forgets repeated frames, too, so that the memory of a long connection is bounded', () => {
    const isRepetition = createRepetitionFilter();
    const sendAll = () =>
      Array.from({ length: 2_000 }, (_, index) => isRepetition(`frame ${index}`, undefined));
    sendAll();
    expect(sendAll()).not.toContain(true);
  });

  it('compares a frame without a commit time with all before', () => {
    const isRepetition = createRepetitionFilter();
    expect([isRepetition('a', 'b'), isRepetition('a', undefined), isRepetition('c', null)]).toEqual([
      false,
      true,
      false,
    ]);
  });
});

describe('the changes queued for a listener', () => {
  const change = (table: string, record: Readonly<Record<string, unknown>>) =>
    ({ type: 'INSERT', schema: 'public', table, commitTimestamp: '', record }) as const;

  it('merge by the whole key of a row of one table, and keep the order of the last change', () => {
    const first = change('notes', { a: 1, b: '1' });
    const changes = [
      first,
      change('notes', { a: 1, b: 1 }),
      change('tasks', { a: 1, b: '1' }),
      change('notes', { a: '1', b: '1' }),
      change('notes', { a: 1 }),
      { ...first, type: 'UPDATE', record: { a: 1, b: '1', c: 2 }, oldRecord: {} } as const,
    ];
    const keys = ['a', 'b'];
    expect(mergeRows(changes, keys)).toEqual([
      ...changes.slice(1, 5),
      { ...first, record: { a: 1, b: '1', c: 2 } },
    ]);
    expect(mergeRows(changes.slice(0, 5), keys)).toEqual(changes.slice(0, 5));
  });
});
