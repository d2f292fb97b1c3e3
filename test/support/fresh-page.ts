import './page-queries.ts';
import { IDBFactory } from 'fake-indexeddb';
import { vi } from 'vitest';

// Each file of component tests begins as a page does that was just opened, though its worker has had others: no module
// of ours remembers, and nothing is stored. React, jsdom and the database engine, which are slow to load, stay.
vi.resetModules();
localStorage.clear();
sessionStorage.clear();
globalThis.indexedDB = new IDBFactory();
history.replaceState(null, '', '/');
document.title = '';
document.head.replaceChildren();
document.body.replaceChildren();
// The build's constant: without it the sign-in screen reserves no height, as for a project without other ways to sign in.
Object.assign(globalThis, { SIGN_IN_WAYS: { providerCount: 0, passkeys: false } });
// jsdom has no layout to scroll.
window.scrollTo = () => undefined;
Element.prototype.scrollIntoView = () => undefined;
