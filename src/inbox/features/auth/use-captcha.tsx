import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useConfiguration } from '../../shared/clients/clients-context.ts';
import type { CaptchaConfiguration } from '../../shared/clients/env.ts';
import { Message } from '../../ui/page/message.tsx';
import { authTexts } from './auth-texts.ts';

export interface Captcha {
  /** The widget; null unless the configuration names a captcha. */
  readonly widget: ReactNode;
  /** Takes the token, which is valid once, and renders a new widget. */
  readonly take: () => string | undefined;
}

/** The captcha of a form. */
export function useCaptcha(): Captcha {
  const { captcha } = useConfiguration();
  const lastToken = useRef<string | undefined>(undefined);
  const [round, setRound] = useState(0);
  return {
    widget: captcha && (
      <CaptchaWidget
        key={round}
        captcha={captcha}
        onToken={(token) => {
          lastToken.current = token;
        }}
      />
    ),
    take() {
      const token = lastToken.current;
      lastToken.current = undefined;
      if (captcha) setRound(round + 1);
      return token;
    },
  };
}

interface CaptchaWidgetProps {
  readonly captcha: CaptchaConfiguration;
  /** Called with `undefined` when a token has expired. */
  readonly onToken: (token: string | undefined) => void;
}

/** The global that both providers' scripts define. */
interface CaptchaApi {
  render(
    container: HTMLElement,
    options: {
      readonly sitekey: string;
      readonly callback: (token: string) => void;
      readonly 'expired-callback': () => void;
    },
  ): unknown;
  /** Removes the widget that `render` returned. */
  remove(widget: unknown): void;
}

const scripts = {
  hcaptcha: 'https://js.hcaptcha.com/1/api.js?render=explicit',
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit',
};

function CaptchaWidget({ captcha, onToken }: CaptchaWidgetProps) {
  const texts = authTexts.use();
  const container = useRef<HTMLDivElement>(null);
  const [failed, setFailed] = useState(false);
  const { provider, siteKey } = captcha;
  useEffect(() => {
    let ended = false;
    let remove: (() => void) | undefined;
    loadApi(provider).then(
      (api) => {
        if (ended || !container.current) return;
        const widget = document.createElement('div');
        container.current.replaceChildren(widget);
        // A callback of a removed widget must not change the token of the current one.
        const report = (token?: string) => {
          if (!ended) onToken(token);
        };
        const id = api.render(widget, {
          sitekey: siteKey,
          callback: report,
          'expired-callback': () => report(),
        });
        remove = () => {
          try {
            api.remove(id);
          } catch {
            // An exception of the provider's script must not unmount the form.
          }
        };
      },
      () => setFailed(true),
    );
    return () => {
      ended = true;
      remove?.();
    };
    // A widget is drawn once; its callbacks reach the form through a ref.
    // eslint-disable-next-line react/exhaustive-deps
  }, [provider, siteKey]);
  return (
    <div role="group" aria-label={texts.captcha}>
      <div ref={container} />
      {failed && <Message tone="error">{texts.captchaFailed}</Message>}
    </div>
  );
}

function loadApi(provider: keyof typeof scripts): Promise<CaptchaApi> {
  const find = () => (window as unknown as Record<string, CaptchaApi | undefined>)[provider];
  const known = find();
  if (known) return Promise.resolve(known);
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = scripts[provider];
    script.async = true;
    script.addEventListener('load', () => {
      const api = find();
      if (api) resolve(api);
      else reject(new Error(`${provider} did not load`));
    });
    script.addEventListener('error', () => reject(new Error(`${provider} did not load`)));
    document.head.append(script);
  });
}
