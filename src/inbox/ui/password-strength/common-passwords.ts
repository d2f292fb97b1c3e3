/** The build's constant, by scripts/common-passwords.ts. */
declare const COMMON_PASSWORDS: string;

/** The 3,000 most common passwords of 8 characters and more, in small letters, longer ones first. */
export const commonPasswords: readonly string[] = COMMON_PASSWORDS.split('\n');
