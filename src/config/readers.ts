import { availableParallelism } from 'node:os';
import { parseAddressList } from '../lib/network/address-list.ts';
import { isPlainHost } from '../lib/network/host-names.ts';
import { check } from '../lib/schema/problems.ts';
import type { Schema } from '../lib/schema/schema.ts';
import { trimEndOf } from '../lib/text/tidy-text.ts';

// Settings are parsed by hand-written functions: a schema library would be the slowest part of the first stdio response.

/** Parses the raw value of a setting, undefined when it isn't set. Throws `SettingError` with what is accepted instead. */
export type Reader<T> = (value: unknown) => T;

/** Says what a setting must look like; never repeats the value, which may be a secret. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}

const truths = new Set(['true', '1', 'yes', 'on', 'y', 'enabled']);
const falsehoods = new Set(['false', '0', 'no', 'off', 'n', 'disabled']);

/** A non-empty text that passes the check, or undefined. */
export function text(
  isValid?: (value: string) => boolean,
  must = 'must be a text',
): Reader<string | undefined> {
  return (value) => {
    if (value === undefined) return undefined;
    if (typeof value !== 'string' || value === '') throw new SettingError('must be a text and not empty');
    if (isValid && !isValid(value)) throw new SettingError(must);
    return value;
  };
}

/** A web URL without trailing slashes, or undefined. */
export const webAddress: Reader<string | undefined> = (value) => {
  const address = text(isWebAddress, 'must be a URL that starts with http:// or https://')(value);
  return address === undefined ? undefined : trimEndOf(address, '/');
};

/** A whole number within bounds. */
export function count(min: number, max: number, fallback: number): Reader<number> {
  return (value) => {
    if (value === undefined) return fallback;
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    if (typeof number !== 'number' || !Number.isInteger(number) || number < min || number > max) {
      throw new SettingError(`must be a whole number from ${min} to ${max}`);
    }
    return number;
  };
}

const maxWorkers = 256;

/** A number of processes, or `auto` for one per core. */
export const workers: Reader<number> = (value) => {
  if (value === 'auto') return Math.min(maxWorkers, availableParallelism());
  try {
    return count(1, maxWorkers, 1)(value);
  } catch {
    throw new SettingError(`must be auto or a whole number from 1 to ${maxWorkers}`);
  }
};

/** A whole number that fits a schema of the domain. */
export function wholeNumber(schema: Schema<number>, fallback: number): Reader<number> {
  return (value) => {
    if (value === undefined) return fallback;
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    const checked = check(schema, number);
    if (!checked.ok) throw new SettingError(checked.problems[0]!.message);
    return checked.value;
  };
}

/** True or false, also as words such as yes and off, or undefined. */
export const flag: Reader<boolean | undefined> = (value) => {
  if (value === undefined || typeof value === 'boolean') return value;
  const word = typeof value === 'string' ? value.toLowerCase() : '';
  if (truths.has(word)) return true;
  if (falsehoods.has(word)) return false;
  throw new SettingError('must be true or false');
};

/** Texts, as an array or separated by commas. */
export const list: Reader<readonly string[]> = (value) => {
  if (value === undefined) return [];
  const entries = typeof value === 'string' ? value.split(',') : value;
  if (!Array.isArray(entries) || !entries.every((entry) => typeof entry === 'string')) {
    throw new SettingError('must be texts, separated by commas');
  }
  return entries.map((entry) => entry.trim()).filter(Boolean);
};

/** Addresses and networks, separated by commas. For proxies, `no` means none, and `yes` is an error that says what to write. */
export function addresses(ofProxies: boolean): Reader<readonly string[]> {
  return (value) => {
    const word = ofProxies && typeof value === 'string' ? value.trim().toLowerCase() : value;
    if (ofProxies && (word === false || falsehoods.has(String(word)))) return [];
    if (ofProxies && (word === true || truths.has(String(word))))
      throw new SettingError(
        'must list the trusted proxies, such as 127.0.0.1 for one on this machine or 10.0.0.0/8 for a network',
      );
    const entries = list(value);
    try {
      parseAddressList(entries);
    } catch (error) {
      throw error instanceof RangeError ? new SettingError(`must not contain ${error.message}`) : error;
    }
    return entries;
  };
}

/** One of a few words. */
export function oneOf<const T extends string>(words: readonly T[], fallback: T): Reader<T> {
  return (value) => {
    if (value === undefined) return fallback;
    const word = words.find((known) => known === value);
    if (word === undefined) throw new SettingError(`must be one of ${words.join(', ')}`);
    return word;
  };
}

/** The same reader with a default. */
export function withDefault<T>(read: Reader<T | undefined>, fallback: T): Reader<T> {
  return (value) => read(value) ?? fallback;
}

function isWebAddress(value: string): boolean {
  return /^https?:\/\//.test(value) && URL.canParse(value) && isPlainHost(new URL(value).host);
}

/** Whether it is redis[s]://[[user]:password@]host[:port][/number], the form that our Redis client accepts. */
export function isRedisAddress(value: string): boolean {
  if (!/^rediss?:\/\//.test(value) || !URL.canParse(value)) return false;
  const { hostname, username, password, pathname } = new URL(value);
  return isPlainHost(hostname) && /^(\/\d{0,5})?$/.test(pathname) && isDecodable(username + password);
}

function isDecodable(encoded: string): boolean {
  try {
    decodeURIComponent(encoded);
    return true;
  } catch {
    return false;
  }
}
