import { toSenderNames, SenderError } from './errors.ts';

const deepest = 8;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Rejects values that JSON or PostgreSQL cannot store; the error names the field. */
export function checkJson(value: unknown, path: string, depth = 0): void {
  const refuse = (problem: string) => {
    throw new SenderError('invalid-message', `${toSenderNames(path)} ${problem}.`);
  };
  if (typeof value === 'string') {
    if (value.includes('\0')) refuse('has the character U+0000');
    if (/\p{Surrogate}/u.test(value)) refuse('has half of a surrogate pair');
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) refuse('is not a finite number');
  } else if (isPlain(value)) {
    if (depth === deepest) refuse('is nested too deeply');
    for (const [name, field] of Object.entries(value)) {
      if (field === undefined && !Array.isArray(value)) continue;
      const place = Array.isArray(value) ? `[${name}]` : path === '' ? name : `.${name}`;
      checkJson(field, path + place, depth + 1);
    }
  } else if (value !== null && typeof value !== 'boolean') {
    refuse('is not a text, a number, true, false, null, a list or a plain object');
  }
}

/** Rejects all but plain objects: `null`, lists and class instances. */
export function checkObject(value: unknown, path: string): void {
  if (!isPlain(value) || Array.isArray(value))
    throw new SenderError('invalid-message', `${path} is not an object.`);
}

export function checkText(value: unknown, path: string): void {
  if (typeof value !== 'string') throw new SenderError('invalid-message', `${path} is not a text.`);
}

/** Rejects a malformed id of a message or an account, because the database's error would not name the argument. */
export function checkId(value: unknown, name: string): void {
  if (typeof value !== 'string' || !uuid.test(value))
    throw new SenderError('invalid-message', `${name} is not a UUID.`);
}

/** Rejects an invalid Date; undefined is allowed. */
export function checkDate(value: unknown, path: string): void {
  if (value === undefined) return;
  if (!(value instanceof Date)) throw new SenderError('invalid-message', `${path} is not a Date.`);
  if (Number.isNaN(value.getTime())) throw new SenderError('invalid-message', `${path} is not a valid Date.`);
}

/** Rejects an invalid Date; the database checks local times. */
export function checkSendAt(value: unknown, path: string): void {
  if (!isPlain(value) || Array.isArray(value)) return checkDate(value, path);
  if (!('localTime' in value) || typeof value.localTime !== 'string')
    throw new SenderError('invalid-message', `${path} needs a localTime such as 2027-01-05T09:00.`);
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  // An object of another realm has another Object.prototype.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
