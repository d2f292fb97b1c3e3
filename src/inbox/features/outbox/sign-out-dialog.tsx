import type { SignOutQuestion } from '../../shared/clients/sign-out-question.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/overlay/dialog.tsx';
import layout from '../../ui/layout.module.css';
import { outboxTexts } from './outbox-texts.ts';

/** Asks whether to sign out although changes would be lost. */
export function SignOutDialog({ question }: { readonly question: SignOutQuestion }) {
  const texts = outboxTexts.use();
  return (
    <Dialog open title={texts.questionTitle} closeLabel={texts.close} onClose={() => question.answer(false)}>
      <p>{texts.question(question.count)}</p>
      <div className={layout.actions}>
        <Button onClick={() => question.answer(false)}>{texts.stay}</Button>
        <Button look="danger" onClick={() => question.answer(true)}>
          {texts.signOut}
        </Button>
      </div>
    </Dialog>
  );
}
