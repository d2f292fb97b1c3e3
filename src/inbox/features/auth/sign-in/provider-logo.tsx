import type { ReactNode } from 'react';

/** The providers' marks, 20 px, in their own colors or in the color of the text. */
const marks: Readonly<Record<string, ReactNode>> = {
  google: (
    <>
      <path
        fill="#4285f4"
        d="M19.6 10.2c0-.7-.1-1.4-.2-2H10v3.9h5.4a4.6 4.6 0 0 1-2 3v2.5h3.2c1.9-1.7 3-4.3 3-7.4Z"
      />
      <path
        fill="#34a853"
        d="M10 20c2.7 0 5-.9 6.6-2.4l-3.2-2.5a6 6 0 0 1-9-3.2H1.1v2.6A10 10 0 0 0 10 20Z"
      />
      <path fill="#fbbc05" d="M4.4 11.9a6 6 0 0 1 0-3.8V5.5H1.1a10 10 0 0 0 0 9l3.3-2.6Z" />
      <path
        fill="#ea4335"
        d="M10 4c1.5 0 2.8.5 3.8 1.5l2.9-2.9A10 10 0 0 0 1.1 5.5l3.3 2.6A6 6 0 0 1 10 4Z"
      />
    </>
  ),
  github: (
    <path
      fill="currentColor"
      fillRule="evenodd"
      d="M10 .2a10 10 0 0 0-3.2 19.5c.5.1.7-.2.7-.5v-1.7c-2.8.6-3.4-1.3-3.4-1.3-.4-1.2-1.1-1.5-1.1-1.5-.9-.6.1-.6.1-.6 1 .1 1.5 1 1.5 1 .9 1.6 2.4 1.1 2.9.9.1-.7.4-1.1.6-1.4-2.2-.2-4.5-1.1-4.5-5 0-1.1.4-2 1-2.7-.1-.3-.4-1.3.1-2.7 0 0 .8-.3 2.8 1a9.5 9.5 0 0 1 5 0c1.9-1.3 2.7-1 2.7-1 .6 1.4.2 2.4.1 2.7.7.7 1 1.6 1 2.7 0 3.9-2.3 4.7-4.5 5 .4.3.7.9.7 1.9v2.7c0 .3.2.6.7.5A10 10 0 0 0 10 .2Z"
    />
  ),
  azure: (
    <>
      <path fill="#f25022" d="M1 1h8.5v8.500H1z" />
      <path fill="#7fba00" d="M10.5 1H19v8.5h-8.5z" />
      <path fill="#00a4ef" d="M1 10.5h8.500V19H1z" />
      <path fill="#ffb900" d="M10.5 10.500H19V19h-8.5z" />
    </>
  ),
  apple: (
    <path
      fill="currentColor"
      d="M14 10.6c0-2.2 1.8-3.3 1.9-3.3-1-1.5-2.6-1.7-3.2-1.7-1.4-.1-2.6.8-3.3.8-.7 0-1.7-.8-2.8-.8-1.5 0-2.8.9-3.6 2.2-1.5 2.7-.4 6.6 1.1 8.7.7 1.1 1.6 2.2 2.7 2.2 1.1 0 1.5-.7 2.8-.7s1.7.7 2.8.7c1.2 0 1.9-1.1 2.6-2.1.8-1.2 1.2-2.4 1.2-2.4s-2.2-.9-2.2-3.600ZM11.9 4.1c.6-.7 1-1.7.9-2.7-.9 0-1.9.6-2.5 1.3-.6.6-1.1 1.6-.9 2.6.9.1 1.9-.5 2.5-1.200Z"
    />
  ),
};

/** Decorative: the button names the provider. Renders nothing for a provider without a known mark. */
export function ProviderLogo({ provider }: { readonly provider: string }) {
  const mark = Object.hasOwn(marks, provider) ? marks[provider] : null;
  return mark ? (
    <svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true">
      {mark}
    </svg>
  ) : null;
}
