import { useState } from 'react';

export interface Copying {
  /** undefined: nobody has asked yet; false: the browser refused, and the text is selected to be copied by hand. */
  readonly isCopied: boolean | undefined;
  readonly copy: () => Promise<void>;
}

/** @param select selects the text where it stands: the clipboard may be forbidden, or missing on a page without https. */
export function useCopy(text: string, select: () => void): Copying {
  const [isCopied, setCopied] = useState<boolean>();
  return {
    isCopied,
    async copy() {
      select();
      try {
        await navigator.clipboard.writeText(text);
        setCopied(true);
      } catch {
        setCopied(false);
      }
    },
  };
}
