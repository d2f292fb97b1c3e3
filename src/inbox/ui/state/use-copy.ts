import { useState } from 'react';

export interface UseCopyResult {
  /** undefined: not tried yet; false: the browser refused, and the text is selected for copying by hand. */
  readonly isCopied: boolean | undefined;
  readonly copy: () => Promise<void>;
}

/** @param select selects the text on the page, since the clipboard may be blocked, or missing without https. */
export function useCopy(text: string, select: () => void): UseCopyResult {
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
