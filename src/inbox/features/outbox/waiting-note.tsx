import { Button } from '../../ui/button.tsx';
import { useOnline } from '../../ui/state/online.ts';
import { outboxTexts } from './outbox-texts.ts';

/** How many changes wait for a connection, or are being sent. */
export function WaitingNote({ count, onShow }: { readonly count: number; readonly onShow: () => void }) {
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
