import { fireEvent, renderHook } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { usePageShortcuts } from '../../../../src/inbox/features/notifications/actions/use-page-shortcuts.ts';
import type { SelectionBarHandle } from '../../../../src/inbox/features/notifications/list/selection-bar.tsx';
import { useInboxShortcuts } from '../../../../src/inbox/features/notifications/screen/use-inbox-shortcuts.ts';
import type { InboxShortcutsOptions } from '../../../../src/inbox/features/notifications/screen/use-inbox-shortcuts.ts';
import { toasts } from '../../../../src/inbox/ui/overlay/toasts.ts';

const nothing = () => undefined;

function renderShortcuts(
  selectionBar: SelectionBarHandle | null,
  onAction: InboxShortcutsOptions['onAction'],
) {
  renderHook(() =>
    useInboxShortcuts({
      entries: [],
      readOpenId: () => 'opened',
      list: { current: null },
      selectionBar: { current: selectionBar },
      onAction,
      onShow: nothing,
      onCloseDetail: nothing,
      onEndSelection: nothing,
      onMarkAllRead: nothing,
      onHelp: nothing,
      onSearch: nothing,
    }),
  );
}

test('z undoes the newest action, and g p opens the preferences', () => {
  renderHook(() => usePageShortcuts());
  const run = vi.fn<() => void>();
  toasts.show('Deleted', { action: { label: 'Undo', run, isUndo: true } });
  fireEvent.keyDown(document.body, { key: 'z' });
  expect(run).toHaveBeenCalledOnce();
  fireEvent.keyDown(document.body, { key: 'g' });
  fireEvent.keyDown(document.body, { key: 'p' });
  expect(location.pathname).toBe('/preferences');
});

test('while rows are selected, the key of an action acts on them and on no other row', () => {
  const act = vi.fn<SelectionBarHandle['act']>();
  const onAction = vi.fn<InboxShortcutsOptions['onAction']>();
  renderShortcuts({ act }, onAction);
  fireEvent.keyDown(document.body, { key: 'e' });
  expect(act.mock.calls).toEqual([['archive']]);
  expect(onAction).not.toHaveBeenCalled();
});
