import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** The kind of network an address belongs to; only `public` is allowed by default. */
export type AddressKind =
  | 'public'
  /** Private use, loopback, carrier-grade NAT and other networks where an operator may list a host by name. */
  | 'internal'
  /** Link-local, cloud metadata, multicast, unspecified and translated forms: allowed only if listed by address. */
  | 'restricted';

// Kinds of ipaddr.js where an operator may plausibly run an API.
const internalRanges = new Set(['private', 'loopback', 'carrierGradeNat', 'uniqueLocal', 'reserved']);

// Azure's wire server uses a public address that responds only inside a virtual machine.
const metadataAddresses = new Set(['168.63.129.16', '100.100.100.200', 'fd00:ec2::254', '192.0.0.192']);

// IANA assigns global unicast only from 2000::/3, which also excludes ::/96 and everything not yet assigned.
const globalUnicastV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Parses an IP address in any textual form that a socket or resolver returns; an IPv4-mapped one becomes IPv4.
 * Null for a name.
 */
export function parseAddress(text: string): Address | null {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  const zone = bare.indexOf('%');
  const plain = withoutDottedTail(zone === -1 ? bare : bare.slice(0, zone));
  if (!ipaddr.IPv4.isValidFourPartDecimal(plain) && !ipaddr.IPv6.isValid(plain)) return null;
  return ipaddr.process(plain);
}

// ipaddr.js reads ::127.0.0.1 as ::ffff:127.0.0.1; in hexadecimal the two are distinct.
function withoutDottedTail(text: string): string {
  const tail = /^(.*:)(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
  if (tail === null) return text;
  const pair = (high: number, low: number) => ((Number(tail[high]) << 8) | Number(tail[low])).toString(16);
  return `${tail[1]}${pair(2, 3)}:${pair(4, 5)}`;
}

/** Returns the kind of network an address belongs to. */
export function addressKind(address: Address): AddressKind {
  if (metadataAddresses.has(address.toString())) return 'restricted';
  const range = address.range();
  if (range === 'unicast') {
    return address instanceof ipaddr.IPv4 || address.match(globalUnicastV6) ? 'public' : 'restricted';
  }
  return internalRanges.has(range) ? 'internal' : 'restricted';
}

interface Entry {
  /** An exact host name, or a suffix with its leading dot for `*.example.com`; absent for a network. */
  readonly host?: string;
  readonly network?: readonly [Address, number];
  readonly port: number | null;
}

/** A list of hosts and networks, each with an optional port. */
export class NetworkList {
  readonly #entries: readonly Entry[];

  constructor(entries: readonly Entry[]) {
    this.#entries = entries;
  }

  /** Whether the list contains this host by name. */
  matchesHost(host: string, port: number): boolean {
    const name = normalHost(host);
    return this.#entries.some(
      (entry) =>
        entry.host !== undefined &&
        (entry.port === null || entry.port === port) &&
        (entry.host.startsWith('.') ? name.endsWith(entry.host) : name === entry.host),
    );
  }

  /** Whether the list contains a network that includes this address. */
  matchesAddress(address: Address, port: number): boolean {
    return this.#entries.some(
      ({ network, port: only }) =>
        network !== undefined && (only === null || only === port) && liesIn(address, network),
    );
  }
}

function liesIn(address: Address, [first, bits]: readonly [Address, number]): boolean {
  if (address instanceof ipaddr.IPv4) return first instanceof ipaddr.IPv4 && address.match(first, bits);
  return first instanceof ipaddr.IPv6 && address.match(first, bits);
}

/** Lower case, punycode as `URL` writes it, no trailing dot. */
export function normalHost(host: string): string {
  const lower = host.toLowerCase();
  return lower.endsWith('.') ? lower.slice(0, -1) : lower;
}

/**
 * Parses entries of the form `host[:port]`, `*.host[:port]`, `ip[:port]` or `network/bits[:port]`; an IPv6
 * address or network with a port is in brackets. Throws a RangeError that names the entry it can't parse.
 */
export function parseNetworkList(entries: readonly string[]): NetworkList {
  return new NetworkList(
    entries
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '')
      .map(parseEntry),
  );
}

/** Whether an entry names a host, and not an address or a network. */
export function namesHost(entry: string): boolean {
  return entry.trim() !== '' && parseEntry(entry.trim()).host !== undefined;
}

function parseEntry(text: string): Entry {
  const refuse = (why: string): never => {
    throw new RangeError(
      `${JSON.stringify(text.slice(0, 80))} ${why}: write host[:port], ip[:port] or a network such as 10.0.0.0/8.`,
    );
  };
  const { name, port } = splitPort(text) ?? refuse('has a port that is not between 1 and 65535');
  const slash = name.indexOf('/');
  if (slash !== -1) {
    const address = parseAddress(name.slice(0, slash));
    const bits = Number(name.slice(slash + 1));
    if (address === null) {
      return refuse(name.includes(':/') ? 'is a URL, not a host' : 'is not a network');
    }
    const mapped = ipaddr.parse(name.slice(0, slash)).kind() !== address.kind();
    const most = address.kind() === 'ipv4' ? 32 : 128;
    const length = mapped ? bits - 96 : bits;
    if (!/^\d{1,3}$/.test(name.slice(slash + 1)) || length < 0 || length > most) {
      return refuse('has an invalid prefix length');
    }
    return { network: [address, length], port };
  }
  const address = parseAddress(name);
  if (address !== null) return { network: [address, address.kind() === 'ipv4' ? 32 : 128], port };
  const wildcard = name.startsWith('*.');
  const host = wildcard ? name.slice(2) : name;
  let normal: string;
  try {
    normal = normalHost(new URL(`http://${host}/`).hostname);
  } catch {
    return refuse('is not a host name');
  }
  // A number such as 2130706433 or 0x7f.1 is an address in disguise; no one writes that on purpose.
  if (parseAddress(normal) !== null) return refuse(`is an unusual form of the address ${normal}`);
  if (!/^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/.test(normal) || /[@?#\\]/.test(host))
    return refuse('is not a host name');
  return { host: wildcard ? `.${normal}` : normal, port };
}

function splitPort(text: string): { name: string; port: number | null } | null {
  const bracketed = /^\[([^\]]*)\](?::(.*))?$/.exec(text);
  const plain = bracketed ?? /^([^:]*):(\d+)$/.exec(text);
  if (plain === null) return { name: text, port: null };
  const port = plain[2];
  if (port === undefined) return { name: plain[1]!, port: null };
  return /^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65535
    ? { name: plain[1]!, port: Number(port) }
    : null;
}
