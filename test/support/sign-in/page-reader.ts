/** A page as a person without scripts sees it, and the address it came from. */
export interface OpenedPage {
  readonly url: URL;
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
}

interface Jar {
  readonly name: string;
  readonly path: string;
  readonly value: string;
  readonly isStrict: boolean;
}

/**
 * A browser without scripts: keeps cookies by path, follows redirects and refreshes, and sends forms. It stops where the
 * gateway's pages end, so what an app would be sent can be read.
 */
export class PageReader {
  readonly #jar = new Map<string, Jar>();
  readonly #own: string;
  language = 'en';

  constructor(gatewayUrl: string) {
    this.#own = new URL(gatewayUrl).host;
  }

  /** Opens an address as if a link on another site had led there. */
  open(address: string | URL): Promise<OpenedPage> {
    return this.#go(new URL(address), 'GET', undefined, true);
  }

  /** Follows a link on a page of the gateway. */
  follow(page: OpenedPage, link: string): Promise<OpenedPage> {
    return this.#go(new URL(link, page.url), 'GET', undefined, false);
  }

  /** Sends the fields of a form to the page it is on. */
  send(page: OpenedPage, fields: readonly (readonly [string, string])[]): Promise<OpenedPage> {
    return this.#go(
      page.url,
      'POST',
      new URLSearchParams([...fields].map(([name, value]): [string, string] => [name, value])),
      false,
    );
  }

  cookie(name: string): string | undefined {
    return [...this.#jar.values()].find((each) => each.name === name)?.value;
  }

  async #go(
    to: URL,
    method: string,
    body: URLSearchParams | undefined,
    isFromElsewhere: boolean,
  ): Promise<OpenedPage> {
    let url = to;
    let next: { method: string; body: URLSearchParams | undefined } = { method, body };
    let fromElsewhere = isFromElsewhere;
    for (let steps = 0; steps < 20; steps++) {
      if (url.host !== this.#own) return { url, status: 0, headers: new Headers(), html: '' };
      const answer = await fetch(url, {
        method: next.method,
        redirect: 'manual',
        headers: {
          accept: 'text/html',
          'accept-language': this.language,
          cookie: this.#cookiesFor(url, fromElsewhere),
          ...(next.body !== undefined && {
            origin: url.origin,
            'content-type': 'application/x-www-form-urlencoded',
          }),
        },
        ...(next.body !== undefined && { body: next.body.toString() }),
      });
      this.#keep(answer.headers);
      const location = answer.headers.get('location');
      if (answer.status >= 300 && answer.status < 400 && location !== null) {
        await answer.arrayBuffer();
        url = new URL(location, url);
        next = { method: 'GET', body: undefined };
        continue;
      }
      const html = await answer.text();
      const refresh = /<meta http-equiv="refresh" content="0;url=([^"]+)">/.exec(html)?.[1];
      if (refresh === undefined) return { url, status: answer.status, headers: answer.headers, html };
      url = new URL(refresh.replaceAll('&#38;', '&'), url);
      next = { method: 'GET', body: undefined };
      // A refresh is this site's own doing, so browsers send strict cookies.
      fromElsewhere = false;
    }
    throw new Error(`more than 20 steps, the last to ${url.href}`);
  }

  #cookiesFor(url: URL, isFromElsewhere: boolean): string {
    return [...this.#jar.values()]
      .filter(({ path, isStrict }) => url.pathname.startsWith(path) && !(isStrict && isFromElsewhere))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
  }

  #keep(headers: Headers): void {
    for (const line of headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
      const equals = pair.indexOf('=');
      const path = attributes.find((each) => /^path=/i.test(each))?.slice(5) ?? '/';
      const name = pair.slice(0, equals);
      this.#jar.set(`${name} ${path}`, {
        name,
        value: pair.slice(equals + 1),
        path,
        isStrict: attributes.some((each) => /^samesite=strict$/i.test(each)),
      });
    }
  }
}

/** The boxes of the consent page that are checked, and its hidden value. */
export function fieldsOf({ html }: OpenedPage): [string, string][] {
  const fields: [string, string][] = [];
  for (const [, tag = ''] of html.matchAll(/<input ([^>]*)>/g)) {
    const name = /name="([^"]*)"/.exec(tag)?.[1];
    const value = /value="([^"]*)"/.exec(tag)?.[1] ?? '';
    if (name === undefined) continue;
    if (tag.includes('type="hidden"') || (tag.includes('type="checkbox"') && / checked/.test(tag)))
      fields.push([name, value]);
  }
  return fields;
}

export interface Person {
  readonly name: string;
  readonly password: string;
}

/** Signs in if asked and agrees to what the page has checked, after `change`; returns where the app is sent. */
export async function agree(
  browser: PageReader,
  address: string | URL,
  person: Person,
  change: (fields: [string, string][]) => [string, string][] = (fields) => fields,
): Promise<URL> {
  let page = await browser.open(address);
  if (page.html.includes('name="password"'))
    page = await browser.send(page, [
      ['action', 'sign-in'],
      ['name', person.name],
      ['password', person.password],
    ]);
  const { url } = await browser.send(page, [...change(fieldsOf(page)), ['action', 'allow']]);
  return url;
}
