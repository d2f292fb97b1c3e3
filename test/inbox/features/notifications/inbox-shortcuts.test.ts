import { fireEvent, renderHook } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { useInboxShortcuts } from '../../../../src/inbox/features/notifications/screen/use-inbox-shortcuts.ts';
import { toasts } from '../../../../src/inbox/ui/overlay/toasts.ts';

const nothing = () => undefined;

test('the inbox undoes and leaves by itself, before the shortcuts of every page are shown', () => {
  renderHook(() =>
    useInboxShortcuts({
      entries: [],
      openId: null,
      list: { current: null },
      isSelecting: false,
      onAction: nothing,
      onShow: nothing,
      onCloseDetail: nothing,
      onEndSelection: nothing,
      onMarkAllRead: nothing,
      onHelp: nothing,
      onSearch: nothing,
    }),
  );
  const run = vi.fn<() => void>();
  toasts.show('Deleted', { action: { label: 'Undo', run, isUndo: true } });
  fireEvent.keyDown(document.body, { key: 'z' });
  expect(run).toHaveBeenCalledOnce();
  fireEvent.keyDown(document.body, { key: 'g' });
  fireEvent.keyDown(document.body, { key: 'p' });
  expect(location.pathname).toBe('/preferences');
});
