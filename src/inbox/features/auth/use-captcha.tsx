import { Suspense, useRef, useState, type ReactNode } from 'react';
import { lazyPart } from '../../ui/state/lazy-part.ts';
import { useConfiguration } from '../../shared/clients/clients-context.ts';

const CaptchaWidget = lazyPart(async () => (await import('./captcha-widget.tsx')).CaptchaWidget);

export interface Captcha {
  /** The widget; null unless the configuration names a captcha. */
  readonly slot: ReactNode;
  /** Takes the answer, which is valid once, and renders a new widget. */
  readonly take: () => string | undefined;
}

/** The place of a captcha in a form. */
export function useCaptcha(): Captcha {
  const { captcha } = useConfiguration();
  const answer = useRef<string | undefined>(undefined);
  const [round, setRound] = useState(0);
  return {
    slot: captcha && (
      <Suspense>
        <CaptchaWidget
          key={round}
          captcha={captcha}
          onAnswer={(token) => {
            answer.current = token;
          }}
        />
      </Suspense>
    ),
    take() {
      const token = answer.current;
      answer.current = undefined;
      if (captcha) setRound(round + 1);
      return token;
    },
  };
}
