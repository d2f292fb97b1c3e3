import { cleanup, render } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { FocusKeeper } from '../../../../src/inbox/ui/list/focus-keeper.ts';
import { VirtualList } from '../../../../src/inbox/features/notifications/list/virtual-list.tsx';

const scrollTo = vi.spyOn(window, 'scrollTo').mockImplementation(() => {});

afterEach(() => {
  cleanup();
  scrollTo.mockClear();
  history.replaceState(null, '');
});

const ignore = () => {};

function show(restoreScroll: () => void) {
  return render(
    <VirtualList
      items={[]}
      size={0}
      filter={{ tab: 'all', kind: null }}
      selected={null}
      openId={null}
      onAction={ignore}
      onToggleGroup={ignore}
      onEndNear={ignore}
      focusKeeper={new FocusKeeper()}
      restoreScroll={restoreScroll}
    />,
  );
}

const writtenPositions = () => scrollTo.mock.calls.map(([options]) => (options as ScrollToOptions).top);

it('the virtual list leaves the page where it is, though a position was saved before the page scrolled', () => {
  history.replaceState({ inboxScroll: { y: 700 } }, '');
  show(ignore);
  expect(writtenPositions()).toEqual([0]);
});

it('the virtual list begins at the restored position', () => {
  const scrollY = vi.spyOn(window, 'scrollY', 'get').mockReturnValue(0);
  show(() => scrollY.mockReturnValue(1_200));
  expect(writtenPositions()).toEqual([1_200]);
  scrollY.mockRestore();
});
