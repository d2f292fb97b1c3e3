import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';
import { productName } from '../page/page-title.ts';

/** 0 very weak … 4 strong. */
export type PasswordStrength = 0 | 1 | 2 | 3 | 4;

/** Words of the product, which count as known to a guesser; docs/inbox/security.md lists them. */
const productWords = [productName, 'inbox', 'notification', 'notifications'];

const estimator = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });

/**
 * Estimates how hard a password is to guess, with a list of 30,000 common ones. Large: load this module when a new
 * password is typed. The server validates again.
 *
 * @param own texts that a guesser knows, such as the email address.
 */
export function estimateStrength(password: string, own: readonly string[] = []): PasswordStrength {
  const texts = [...productWords, ...own];
  const known = texts.concat(texts.flatMap((text) => text.split(/[^\p{L}\p{N}]+/u))).filter(Boolean);
  // bcrypt reads 72 bytes, and the estimate takes time quadratic in the length.
  return estimator.check(password.slice(0, 72), known).score;
}
