import { dictionary } from '@zxcvbn-ts/language-common';

/** OWASP ASVS 5.0, 6.2.4: the most common passwords that the rules for passwords accept. */
const count = 3000;
const minLength = 8;

/** The list that new passwords are compared with: in small letters, longer ones first, one per line. */
export function readCommonPasswords(): string {
  const accepted = dictionary['passwords-common'].filter((password) => password.length >= minLength);
  const list = [...new Set(accepted.map((password) => password.toLowerCase()))].slice(0, count);
  return list.toSorted((one, other) => other.length - one.length || (one < other ? -1 : 1)).join('\n');
}
