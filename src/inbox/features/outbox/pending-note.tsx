import { Button } from '../../ui/button.tsx';
import { useOnline } from '../../ui/state/online.ts';
import { outboxTexts } from './outbox-texts.ts';

/** How many changes are pending: they wait for a connection or the server. */
export function PendingNote({ count, onShow }: { readonly count: number; readonly onShow: () => void }) {
  const texts = outboxTexts.use();
  return (
    <>
      <span>{useOnline() ? texts.sending(count) : texts.offline(count)}</span>{' '}
      <Button look="link" onClick={onShow}>
        {texts.show}
      </Button>
    </>
  );
}
