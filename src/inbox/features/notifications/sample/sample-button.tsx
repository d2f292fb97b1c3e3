import { useState } from 'react';
import { useClients } from '../../../shared/clients/clients-context.ts';
import { Button } from '../../../ui/button.tsx';
import { toasts } from '../../../ui/state/toasts.ts';
import { useLanguage } from '../../../ui/texts.ts';

const words = {
  en: {
    send: 'Send me a sample',
    sent: 'A sample is on its way.',
    failed: 'Couldn’t send a sample. Check the terminal of npm start.',
  },
  de: {
    send: 'Beispiel an mich senden',
    sent: 'Ein Beispiel ist unterwegs.',
    failed: 'Das Beispiel konnte nicht gesendet werden. Sieh im Terminal von npm start nach.',
  },
};

/** Sends the user a sample; null in the production build, which `npm run size` checks. */
export const SampleButton = import.meta.env.DEV ? DevelopmentButton : null;

function DevelopmentButton({ wide = false }: { readonly wide?: boolean }) {
  const { auth, platform } = useClients();
  const texts = words[useLanguage()];
  const [isPending, setPending] = useState(false);
  // Set by `npm start`, whose server handles the request (scripts/notify/sample-sender.ts); plain `vite` has no sender.
  const senderPath: unknown = import.meta.env['VITE_SAMPLE_SENDER'];
  if (typeof senderPath !== 'string') return null;
  const send = async () => {
    setPending(true);
    try {
      const token = await auth.getAccessToken();
      const headers = { authorization: `Bearer ${token}` };
      const response = await platform.fetch(senderPath, { method: 'POST', headers });
      if (!response.ok) throw new Error(`The sample sender responded with ${response.status}`);
      toasts.show(texts.sent);
    } catch (problem) {
      platform.report(problem);
      toasts.show(texts.failed, { tone: 'error' });
    }
    setPending(false);
  };
  return (
    <Button wide={wide} pending={isPending} onClick={() => void send()}>
      {texts.send}
    </Button>
  );
}
