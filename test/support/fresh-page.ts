import './page-queries.ts';
import { IDBFactory } from 'fake-indexeddb';
import { vi } from 'vitest';
import { readCommonPasswords } from '../../scripts/common-passwords.ts';

const timeZones = ['America/New_York', 'Antarctica/Troll', 'Europe/Berlin', 'Europe/Vienna'];

// Each file of component tests starts like a newly opened page, although its worker ran other files: our modules are reset
// and storage is empty. React, jsdom and the database engine, which are slow to load, stay.
vi.resetModules();
localStorage.clear();
sessionStorage.clear();
globalThis.indexedDB = new IDBFactory();
history.replaceState(null, '', '/');
document.title = '';
document.head.replaceChildren();
document.body.replaceChildren();
// The build's constants: the sign-in screen reserves no height, as for a project without other ways to sign in.
Object.assign(globalThis, { SIGN_IN_WAYS: { providerCount: 0, passkeys: false } });
Object.defineProperty(globalThis, 'COMMON_PASSWORDS', { get: readCommonPasswords, configurable: true });
// jsdom has no layout to scroll.
window.scrollTo = () => undefined;
Element.prototype.scrollIntoView = () => undefined;
// Two lists of all 420 time zones would be most of the elements that queries search.
Intl.supportedValuesOf = (key) => (key === 'timeZone' ? timeZones : []);
